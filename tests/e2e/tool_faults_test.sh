#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Each fault is one line on standard error and an exit code: 2 if the command
# line is to blame, 1 for files, the server and the way to it.
# Usage: tool_faults_test.sh SERVER TOOL
set -euo pipefail
# shellcheck source=tests/e2e/tool_testing.sh
source "$(dirname "$0")/tool_testing.sh"

printf '\1\2\3\4\5\6' >raw
printf 'P6\n2 3\n255\nabcdefghijklmnopqr' >a.ppm
cat >add.json <<'END'
{"instructions": [{"opcode": "ADD", "operands": [0, 1],
                   "broadcastDimensions": [1]}], "results": [{}]}
END
"$tool" convert 'f32[2,3] 1 2 3 4 5 6' -o m.npy >report

# Help that nobody gets.
for page in --help --version help man completion; do
  code=0
  "$tool" $page >/dev/full 2>err || code=$?
  [ "$code" = 1 ] && grep -q 'standard output: cannot write' err ||
    fail "$page into a full disk: $code, $(cat err)"
done

# Flags.
refuses 2 'a command is required: info, health'
refuses 2 'see stridecast --help' nonsense
refuses 2 '--foo' relayout x.npy --foo
refuses 2 'input is required' relayout
refuses 2 'excludes' info --json --text
refuses 2 '--overflow' relayout 1 --convert u8 --overflow maybe
refuses 1 '--foo' health --foo
refuses 2 '--overflow goes with --to' convert 1 --overflow wrap
refuses 2 '--to: no element type "u7"; there are pred s8' convert 1 --to u7
refuses 2 'x.jpg: the name ends in none of' convert a.ppm -o x.jpg
refuses 2 'one pipe' eval -p - - 1
refuses 2 'one pipe' eval -p add.json m.npy 1,2,3 -o - -o -
refuses 2 '2 outputs for 1 results' eval -p add.json m.npy 1,2,3 -o a.npy \
  -o b.npy
refuses 2 '-o a.npy: given for two results' eval -p add.json m.npy 1,2,3 \
  -o a.npy -o a.npy
refuses 2 "'': no tensor: the name of a file is empty" convert '' -o b.npy
refuses 2 'the name of a file is empty' convert ':u8[3]' -o b.npy
refuses 2 '-o: the name of a file is empty' convert 1,2 -o ''
refuses 2 'help: no command "nonsense"' help nonsense
refuses 2 'does not use operand 2 of the 3' eval -p add.json m.npy 1,2,3 4
refuses 1 'a .pgm picture is grey; name one in colour .ppm' \
  convert 'u8[1,1,3] 1 2 3' -o b.pgm
refuses 1 '4 x 0 pixels: each is at least 1' convert 'u8[0,4,3]' -o b.ppm
refuses 2 '--dims NHWC for rank 1' relayout 1,2 --dims NHWC
refuses 2 '--dims LETTERS gives them' relayout 1,2 --result-layout W
refuses 2 'as in x=TENSOR@HW' eval x x=1,2 --result-layout W
for layout in row_major Row-Major '{0,x}' '0;1'; do
  refuses 2 "--result-layout: \"$layout\" is neither row-major nor column-major" \
    relayout m.npy --result-layout "$layout"
done
refuses 2 '--result-layout: layout' relayout m.npy --result-layout '{0,0}'
refuses 2 '--result-layout: layout' relayout m.npy --result-layout '{0}'
refuses 2 '--padded: layout' relayout m.npy --padded 2
refuses 2 '--padded: layout' relayout m.npy --padded 1,3
refuses 2 '--padded: "2;3" is no list' relayout m.npy --padded '2;3'
refuses 2 '--result-strides: ' relayout m.npy --result-strides 3
refuses 2 '--result-strides: 1,1 on f32[2,3]: elements share a place' \
  relayout m.npy --result-strides 1,1
refuses 2 '"i" is no c64: a number stands before i' convert 'c64[2] 1+2i i'
# Names of one file.
touch c.npy && ln -s c.npy d.npy
for path in ./c.npy d.npy "$PWD/c.npy"; do
  refuses 2 "-o $path: given for two results" eval -p add.json m.npy 1,2,3 \
    -o c.npy -o "$path"
done
rm c.npy d.npy
refuses 2 '-o ./e.npy: given for two results' eval -p add.json m.npy 1,2,3 \
  -o e.npy -o ./e.npy
refuses 1 '0 bytes of elements; u8[3]{0} takes 3' convert -:u8[3] <&-
refuses 2 '--result-layout goes with' eval -p add.json m.npy 1,2,3 \
  --result-layout WH

# Numbers: the flag, the value and the range are named.
seconds='is not a number of seconds from 0.000001 to 31536000'
for value in nan inf -inf -1 0 1e300 1s ''; do
  refuses 2 "--duration: \"$value\" $seconds" bench --duration "$value"
  refuses 2 "--timeout: \"$value\" $seconds" info --timeout "$value"
done
refuses 1 "--timeout: \"nan\" $seconds" health --timeout nan
refuses 2 '--warm-up: "nan" is not a number of seconds from 0' \
  bench --warm-up nan
for value in nan 0 -1 4097 1.5 1e3 99999999999999999999; do
  refuses 2 "--concurrency: \"$value\" is not a whole number from 1 to 4096" \
    bench --concurrency "$value"
done
refuses 2 '--connections: "1025" is not' bench --connections 1025
refuses 2 '--count: "0" is not a whole number from 1' bench --count 0
for value in nan -4 3 5gb 99999999999gb 1e9 kb; do
  refuses 2 "--size: \"$value\" is not a number of bytes from 4 to 4294967296" \
    bench --size "$value"
done
refuses 2 '--result-offset: "-1" is not' relayout 1,2 --result-strides -1 \
  --result-offset -1

# Addresses.
refuses 2 '--server: "" is no address: it is empty' info --server ''
refuses 2 'no port; give host:port, as in box:50051' info --server box
refuses 2 'leave out http://, as in box:1' info --server http://box:1/x
refuses 2 'port "65536" is not in 1 to 65535' info --server box:65536
refuses 2 'port "x" is not in' info --server box:x
refuses 2 'as in [::1]:50051' info --server ::1:50051
refuses 2 'blanks or other characters' info --server 'a box:1'
refuses 2 'nothing behind unix:' info --server unix:
refuses 1 'is no address' health --server box
STRIDECAST_SERVER=box refuses 2 'no port' info
refuses 1 'no address of a server; --server' info --server ipv4:300.1.1.1:1
# Of many servers' names: a machine that asks nobody says so as well.
refuses 1 'UNAVAILABLE: no address has that name; --server' \
  info --server nosuch.invalid:50051

# Arguments and expressions.
refuses 2 'expression is required' eval
refuses 2 'an expression is required before x=1' eval x=1
refuses 2 'NAME=TENSOR' eval 'x + 1' m.npy
refuses 2 'x: given twice' eval 'x + 1' x=1 x=2
refuses 2 'y: the expression does not use it' eval 'x + 1' x=1 y=2
refuses 2 '2 letters for rank 1' eval 'x + 1' x=1,2@HW
refuses 2 'looks like a flag stands behind --' eval -p
refuses 2 '300 is out of range for u8' relayout 'u8[2] 1 300'
refuses 2 'nothing stands before a comma' relayout 1,,2
refuses 2 'shape string' relayout 'f32[2,3'
refuses 2 'no element type "f99"; there are pred s8' relayout 'f99[2] 1 2'
refuses 2 'no element type "f99"; there are pred s8' relayout raw:f99[2]
refuses 2 'shape string' relayout 'raw:u8[6'
refuses 2 "'f32[2]': 0 elements" relayout 'f32[2]'
code=0
"$tool" eval '(x - meen)/2' x=1 mean=2 >out 2>err || code=$?
[ "$code" = 2 ] || fail "an unknown name: exit code $code"
[ "$(cat err)" = 'stridecast: expression: unknown name "meen"; did you mean "mean"?
  (x - meen)/2
       ^^^^' ] || fail "the place is not shown: $(cat err)"

# Files; the server is not needed to see what is wrong with them.
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
refuses 1 'stridecast convert --to u8' convert m.npy -o m.png
refuses 1 '/nowhere/x.npy' convert 1 -o /nowhere/x.npy
refuses 1 'no ComputeSpec in JSON' eval -p a.ppm 1

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

report
