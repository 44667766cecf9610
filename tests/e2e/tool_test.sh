#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# The tool as people call it: files, pipes, literals, terminals.
# Usage: tool_test.sh SERVER TOOL
set -euo pipefail
# shellcheck source=tests/e2e/tool_testing.sh
source "$(dirname "$0")/tool_testing.sh"

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
prints '"values":[-4.0,-9.0]' eval '-x' x=4,9
prints '"values":[-2.0,-3.0]' eval '-sqrt(x)' x=4,9
prints '"values":[-2.0,-3.0]' eval --json '-s*1' s=2,3
prints '"values":[-2.0]' eval -- -p p='f32[1] 2'
prints '"values":["NaN","Infinity","-Infinity"]' relayout nan,inf,-inf
prints '"values":["NaN"]' eval x x=nan
prints '"values":["-Infinity","NaN"]' relayout -inf,nan
prints 'Usage: stridecast eval [OPTIONS] EXPRESSION NAME=TENSOR' eval --help
prints 'Flags of all commands, --server, --timeout' eval --help
# Raw bytes that begin as a picture does.
printf 'P5 \n1 ' >picture.raw
prints '"values":[80,53,32,10,49,32]' convert 'picture.raw:u8[6]'
# Blanks between letters, dimensions from behind, one picture as a batch.
prints '"minor_to_major":[0,1]' relayout 'u8[2,3] 1 2 3 4 5 6' --dims 'y x' \
  --result-layout 'x y'
prints '"minor_to_major":[0,1]' relayout 'u8[2,3] 1 2 3 4 5 6' \
  --result-layout '{-2,-1}'
prints '"dimensions":[1,3,2,3],"minor_to_major":[2,1,3,0]' relayout a.ppm \
  --result-layout NCHW
prints '"dimensions":[1,3,2,3],"minor_to_major":[2,1,3,0]' \
  eval '(f32(x)/255 - mean)/std' x=a.ppm mean=0.485,0.456,0.406@C std=0.2 \
  --result-layout NCHW
cmp <("$tool" help eval) <("$tool" eval --help) || fail "help eval"
cmp <("$tool" help) <("$tool" --help) || fail "help"
prints '"streamed":true' explain 'x + 1' x='f32[2,3] 1 2 3 4 5 6'

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
  [ "$code" = 2 ] && grep -q 'is a terminal' out ||
    fail "binary data on a terminal: $code, $(cat out)"
else
  echo "not tested: terminals, for script(1) makes none here"
fi

report
