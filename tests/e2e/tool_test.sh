#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# The tool as people call it: files, pipes, literals, terminals; and every fault
# is one line on standard error and an exit code.
# Usage: tool_test.sh SERVER TOOL
set -euo pipefail
if [ -z "${STRIDECAST_SERVER:-}" ]; then
  exec "$(dirname "$0")/with_server.sh" "$1" "$(realpath "$0")" "$@"
fi
tool=$2

trap 'echo "FAILED: line $LINENO"' ERR
failures=0
fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# prints TEXT ARGUMENT...: the call succeeds, says nothing on standard error,
# and TEXT is within what it prints.
prints() {
  local text=$1
  shift
  "$tool" "$@" >out 2>err || fail "$* exits with $?: $(cat err)"
  [ ! -s err ] || fail "$* says $(cat err)"
  grep -qF -- "$text" out || fail "$* does not print '$text' but $(cat out)"
}

# refuses CODE TEXT ARGUMENT...: the call exits with CODE, prints nothing, and
# standard error is one line with TEXT.
refuses() {
  local code=$1 text=$2 got=0
  shift 2
  "$tool" "$@" >out 2>err </dev/null || got=$?
  [ "$got" = "$code" ] || fail "$* exits with $got, not $code"
  [ ! -s out ] || fail "$* prints $(cat out)"
  [ "$(wc -l <err)" = 1 ] || fail "$* says other than one line: $(cat err)"
  grep -qF -- "$text" err || fail "$* does not say '$text' but $(cat err)"
}

same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }

# Text for people is JSON where nobody looks.
prints '"version"' info
prints 'simd target' info --text
prints '{"status":"SERVING"}' health
prints 'SERVING' health --text --service readiness

# Literals, in logical order whatever the layout.
prints '[[1, 2, 3],' relayout 'f32[2,3]{0,1} 1 2 3 4 5 6' --text
prints '"values":[1.0,2.0]' relayout 1,2
prints '"values":[-1.5]' relayout -1.5
prints '"values":[-1.5,2.0]' relayout -- -1.5,2
prints '"values":[[1.0,-2.0]]' relayout 'c64[1] 1-2i'
prints '"values":[255,0]' convert 'f32[2] 300 -5' --to u8 --overflow saturate
prints '"values":[44,255]' convert 'u16[2] 300 255' --to u8 --overflow wrap

# Raw bytes with their shape, either way of saying it.
printf '\1\2\3\4\5\6' >raw
prints '"values":[1,3,5,2,4,6]' relayout 'raw:u8[2,3]{0,1}'
prints '"values":[1,3,5,2,4,6]' relayout raw --shape 'u8[2,3]{0,1}'

# Pictures there and back, pipes in the middle.
printf 'P6\n2 3\n255\nabcdefghijklmnopqr' >a.ppm
"$tool" convert a.ppm --format png -o - | "$tool" convert - -o b.ppm >report
same a.ppm b.ppm
grep -q '"file":"b.ppm"' report || fail "no report of b.ppm: $(cat report)"
"$tool" convert - -o - --to f32 <a.ppm | "$tool" convert - --to u8 -o c.ppm \
  >report
same a.ppm c.ppm
"$tool" relayout a.ppm --result-layout CHW -o planes.raw --json >report
printf 'adgjmpbehknqcfilor' >planes
same planes planes.raw
"$tool" relayout planes.raw:u8[3,3,2] -o - --format raw |
  "$tool" relayout -:u8[18] -o - --format raw >again.raw
same planes again.raw

# Every element type there and back, both orders.
for type in pred s8 s16 s32 s64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128; do
  for order in 1,0 0,1; do
    "$tool" relayout "$type[2,3] 1 0 0 1 1 0" --result-layout $order \
      -o x.npy >report
    "$tool" convert x.npy -o y.raw >report
    "$tool" convert "$type[2,3] 1 0 0 1 1 0" -o z.raw >report
    same y.raw z.raw
  done
done

# A program on arguments of every kind.
cat >add.json <<'END'
{"instructions": [{"opcode": "ADD", "operands": [0, 1],
                   "broadcastDimensions": [1]}], "results": [{}]}
END
"$tool" convert 'f32[2,3] 1 2 3 4 5 6' -o m.npy >report
prints '"values":[8.0,10.0,12.0,11.0,13.0,15.0]' eval -p add.json m.npy 7,8,9
prints '[11, 13, 15]' eval -p add.json --text 1=7,8,9 m.npy
"$tool" eval -p - m.npy 7,8,9 -o - <add.json >sum.npy
prints '[11, 13, 15]' convert sum.npy --text
prints '"scratch_bytes"' explain -p add.json m.npy 7,8,9

# Expressions: by letters, by NumPy's rule, in a layout; and explained.
prints '"values":[5.0]' eval 'sqrt(x*x + y*y)' x='f32[1] 3' y=4
prints '"values":[0.0,12.0,10.0,3.0,15.0,10.0]' eval 'where(x < 6, x*f, 10)' \
  x='f32[2,3] 0 4 7 1 5 6@HW' f=3
prints '"values":[10.0,20.0,31.0,41.0]' eval 'x + v' \
  x='f32[2,2] 0 0 1 1@HW' v='f32[2,2] 10 30 20 40@WH'
prints '"values":[8.0,10.0,12.0,11.0,13.0,15.0]' eval 'm + v' m=m.npy v=7,8,9
"$tool" eval 'x' x='u8[2,3] 1 2 3 4 5 6@HW' --result-layout WH -o wh.raw >/dev/null
[ "$(od -An -tu1 wh.raw | tr -d ' ')" = 142536 ] ||
  fail "column by column: $(od -An -tu1 wh.raw)"
prints '"streamed":true' explain 'x + 1' x='f32[2,3] 1 2 3 4 5 6'
refuses 1 'NAME=TENSOR' eval 'x + 1' m.npy
refuses 1 'x: given twice' eval 'x + 1' x=1 x=2
refuses 1 '2 letters for rank 1' eval 'x + 1' x=1,2@HW
refuses 1 'expression is required' eval
refuses 1 '--result-layout goes with' eval -p add.json m.npy 1,2,3 \
  --result-layout WH
"$tool" eval '(x - meen)/2' x=1 mean=2 >out 2>err && fail 'an unknown name is fine'
[ "$(cat err)" = 'stridecast: expression: unknown name "meen"; did you mean "mean"?
  (x - meen)/2
       ^^^^' ] || fail "the place is not shown: $(cat err)"

# More than a message holds goes as a stream.
head -c 70000000 /dev/zero >zeros
"$tool" eval 'x + 7' x=zeros:u8[70000000] -o sevens.raw >/dev/null ||
  fail 'a stream fails'
[ "$(tr -d '\7' <sevens.raw | wc -c)" = 0 ] && [ "$(wc -c <sevens.raw)" = 70000000 ] ||
  fail 'a stream computes something else'
rm zeros sevens.raw

# A load, bounded by its count.
prints '"calls":20' bench --count 20 --size 4kb --warm-up 0 --concurrency 3
prints 'errors    none' bench --count 5 --size 1kb --warm-up 0 --op relayout \
  --connections 2 --text
prints '"calls":5' bench --count 5 --size 4 --warm-up 0 --op identity

# Faults of the command line.
refuses 2 'a command is required: info, health'
refuses 2 'see stridecast --help' nonsense
refuses 2 '--foo' relayout x.npy --foo
refuses 2 'input is required' relayout
refuses 2 'excludes' info --json --text
refuses 2 '--overflow' relayout 1 --convert u8 --overflow maybe
refuses 2 '--concurrency' bench --concurrency 0
refuses 1 '--foo' health --foo

# Faults of files and arguments; the server is not needed to see them.
printf 'P6\n2 3\n255\nabc' >short.ppm
printf '\x89PNG\r\n\x1a\n' >short.png
printf '\x93NUMPY\x01\x00\xff\xff{' >short.npy
printf 'PK\x03\x04' >x.npz
mkdir directory
refuses 1 'nowhere.npy: No such file' relayout nowhere.npy
refuses 1 'Is a directory' relayout directory
refuses 1 '3 bytes of samples' relayout short.ppm
refuses 1 'cut short' relayout short.png
refuses 1 'states 65535 bytes' relayout short.npy
refuses 1 'unzip' relayout x.npz
refuses 1 'say the shape' relayout raw
refuses 1 'say the shape' relayout -
refuses 1 '6 bytes of elements; u8[7]{0} takes 7' relayout raw:u8[7]
refuses 1 '300 is out of range for u8' relayout 'u8[2] 1 300'
refuses 1 'shape string' relayout 'f32[2,3'
refuses 1 '--overflow goes with --to' convert 1 --overflow wrap
refuses 1 '--to: no element type "u7"' convert 1 --to u7
refuses 1 'x.jpg: the name ends in none of' convert a.ppm -o x.jpg
refuses 1 'stridecast convert --to u8' convert m.npy -o m.png
refuses 1 '/nowhere/x.npy' convert 1 -o /nowhere/x.npy
refuses 1 'one pipe' eval -p - - 1
refuses 1 'one pipe' eval -p add.json m.npy 1,2,3 -o - -o -
refuses 1 '2 outputs for 1 results' eval -p add.json m.npy 1,2,3 -o a.npy \
  -o b.npy
refuses 1 'no ComputeSpec in JSON' eval -p a.ppm 1
refuses 1 '--dims NHWC for rank 1' relayout 1,2 --dims NHWC

code=0
"$tool" convert 1 -o - >/dev/full 2>err || code=$?
[ "$code" = 1 ] && grep -q 'standard output: No space left' err ||
  fail "a full device: exit code $code, $(cat err)"

# Faults that the server finds, or that are its absence.
refuses 1 'INVALID_ARGUMENT' eval -p add.json m.npy 1,2
refuses 1 '--max-message-bytes 67108864, a flag of stridecast-server' \
  bench --size 100mb --count 1 --concurrency 1
refuses 1 '--timeout SECONDS' bench --timeout 0.000001 --count 1
for command in info health 'relayout 1,2' 'bench --count 1' \
  'convert 1 --to u8' 'eval -p add.json m.npy 1,2,3'; do
  # shellcheck disable=SC2086
  refuses 1 'UNAVAILABLE' $command --server unix:nowhere
  grep -q -- '--server or STRIDECAST_SERVER' err || fail "no advice: $(cat err)"
done
refuses 1 'NOT_FOUND' health --service nobody

# On a terminal: text for people, and no binary data. What script(1) reads must
# not end, or it waits some seconds for more.
mkfifo keyboard
exec 3<>keyboard
if script -qec true /dev/null <&3 >/dev/null 2>&1; then
  on_terminal() { script -qec "$1" /dev/null <&3; }
  on_terminal "'$tool' health" | tr -d '\r' >out
  [ "$(cat out)" = SERVING ] || fail "on a terminal health prints $(cat out)"
  on_terminal "'$tool' health --json" | grep -q '^{' ||
    fail "--json does nothing on a terminal"
  code=0
  on_terminal "'$tool' convert 1 -o -" >out || code=$?
  [ "$code" = 1 ] && grep -q 'is a terminal' out ||
    fail "binary data on a terminal: $code, $(cat out)"
else
  echo "not tested: terminals, for script(1) makes none here"
fi

echo "$failures failures"
[ "$failures" -eq 0 ]
