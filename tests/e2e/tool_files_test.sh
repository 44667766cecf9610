#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Files that are larger than memory, and outputs that are there as a whole or
# not at all.
# Usage: tool_files_test.sh SERVER TOOL
set -euo pipefail
# shellcheck source=tests/e2e/tool_testing.sh
source "$(dirname "$0")/tool_testing.sh"

# fails CODE TEXT: what the last command came to, in `code` and the file err.
fails() {
  [ "$code" = "$1" ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "$2" err ||
    fail "exit code $code, not $1 with '$2': $(cat err)"
}
nothing_left() {
  [ -z "$(find . -name '.stridecast-*')" ] || fail "left: $(find . -name '.s*')"
}

# A quarter of a GiB through a process that may hold much less. Where so little
# memory is not enough to start with, as for sanitizers, nothing is shown.
truncate -s 256M large
if (ulimit -d 200000 && timeout 60 "$tool" health) >/dev/null 2>&1; then
  (ulimit -d 200000 && "$tool" eval 'x + 7' x=large:u8[268435456] \
    -o /dev/null --format raw) >out 2>err || fail "a large file: $(cat err)"
  prints '"size_bytes":268435456' explain 'x + 7' x=large:u8[268435456]
  code=0
  (ulimit -v 200000 && "$tool" relayout -:u8[268435456] <large) >out 2>err ||
    code=$?
  fails 1 'standard input: cannot map 268435456 bytes: Cannot allocate memory'
  code=0
  # What writes into the pipe need not get rid of all.
  (ulimit -v 200000 && { head -c 268435456 large 2>/dev/null || :; } |
    "$tool" relayout -:u8[268435456]) >out 2>err || code=$?
  fails 1 'stridecast: out of memory'
else
  echo 'not tested: little memory'
fi
[ -c /dev/null ] || fail '/dev/null is replaced'

# A limit on the size of files stands for a full disk: what was there stays.
echo old >kept.raw
head -c 50000000 /dev/zero >zeros
refuses 1 '50000000 elements; at most 16777216 are printed as JSON: -o FILE' \
  eval x x=zeros:u8[50000000]
refuses 1 'are printed as JSON' convert zeros:u8[50000000]
head -c 1000000 zeros >some
for operand in some:u8[1000000] zeros:u8[50000000]; do  # a message, a stream
  code=0
  (ulimit -f 50 && "$tool" eval 'x + 7' x=$operand -o kept.raw) >out 2>err ||
    code=$?
  fails 1 'kept.raw: File too large'
  [ "$(cat kept.raw)" = old ] || fail 'a failed write changes the file'
  nothing_left
done
code=0
(ulimit -f 50; "$tool" convert 1,2 -o a.npy) >out 2>err || code=$?
[ "$code" = 0 ] || fail "a small file: $(cat err)"

# All results or none.
cat >two.json <<'END'
{"instructions": [{"opcode": "NEGATE", "operands": [0]}],
 "results": [{"value": 0}, {"value": 1}]}
END
refuses 1 '/nowhere/b.npy' eval -p two.json 1,2 -o first.npy -o /nowhere/b.npy
[ ! -e first.npy ] || fail 'one of two results is there'
nothing_left
"$tool" eval -p two.json 1,2 -o first.npy -o second.npy >report
prints '"values":[-1.0,-2.0]' convert second.npy

# Names, permissions and links stay what they were.
(umask 027 && "$tool" convert 1 -o new.npy) >report
[ "$(stat -c %a new.npy)" = 640 ] || fail "a new file: $(stat -c %a new.npy)"
chmod 606 new.npy
"$tool" convert 1,2 -o new.npy >report
[ "$(stat -c %a new.npy)" = 606 ] || fail "an old file: $(stat -c %a new.npy)"
mkdir elsewhere
ln -s elsewhere/target.npy link.npy
"$tool" convert 3 -o link.npy >report
"$tool" convert 4 -o link.npy >report
[ -L link.npy ] || fail 'a link is replaced'
prints '"values":[4.0]' convert elsewhere/target.npy
"$tool" eval 'f64(x)' x=new.npy -o new.npy >report  # read and replaced
prints '"type":"f64"' convert new.npy
mkfifo pipe
cat pipe >through &
"$tool" convert 5 -o pipe --format npy >report
wait $!
prints '"values":[5.0]' convert through
nothing_left

# Signals that end the tool leave nothing behind.
code=0
"$tool" eval -p two.json zeros:u8[50000000] -o kept.raw -o - --format raw \
  2>err | head -c 10 >/dev/null || code=${PIPESTATUS[0]}
[ "$code" = 141 ] || fail "a pipe that was closed: exit code $code, $(cat err)"
nothing_left
"$tool" eval 'x + 7' x=-:u8[50000000] -o kept.raw --format raw \
  < <(sleep 30) >out 2>err &
tool_pid=$!
sleep 0.5
kill -QUIT $tool_pid
wait $tool_pid && fail 'SIGQUIT ends nothing'
nothing_left

# A shell may have read the first lines.
"$tool" convert 1,2 -o - >v.npy
{ echo header; cat v.npy; } >with_header
{ read -r _; "$tool" convert - --json; } <with_header >out ||
  fail 'a redirected file is read from its begin'
grep -qF '"values":[1.0,2.0]' out || fail "behind a header: $(cat out)"

# explain wants shapes alone: headers, and shapes without elements.
printf 'P6\n2 3\n255\nabcdefghijklmnopqr' >a.ppm
"$tool" convert a.ppm -o a.png >report
head -c 60 a.png >cut.png
refuses 1 'cut short' eval 'x + 1' x=cut.png
prints '"dimensions":[3,2,3]' explain 'x + 1' x=cut.png
prints '"minor_to_major":[0,1]' explain 'x + 1' x='f32[2,3]{0,1}'
prints '"stream_memory_bytes":' explain 'x + 1' x='f32[2,3]'
prints '"stream_end":24' explain 'x + 1' x='f32[2,3]'
prints 'bytes 0 to 24' explain 'x + 1' x='f32[2,3]' --text
prints 'as a stream ' explain 'x + 1' x='f32[2,3]' --text
prints '"dimensions":[3]' explain -p two.json 'f32[3]'
refuses 2 '3 elements; f32[2]{0} has 2' explain 'x' x='f32[2] 1 2 3'

report
