#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# The example that streams a file, where the file is larger than all memory that
# the process may have, but for the mapped files themselves: RLIMIT_DATA counts
# private writable memory, heap and stacks. Every number is checked.
# Usage: stream_file_memory_test.sh SERVER PROGRAM
set -euo pipefail
if [ -z "${STRIDECAST_SERVER:-}" ]; then
  exec "$(dirname "$0")/with_server.sh" "$1" "$(realpath "$0")" "$@"
fi
program=$2
limit_kib=$((96 << 10)) file_mib=256

# Threads with small stacks, which count as a whole.
limited() { (ulimit -s 256 -d "$limit_kib" && exec "$@"); }

# The limit is one: a buffer for half the file is refused.
if limited dd if=/dev/zero of=/dev/null bs="$((file_mib / 2))M" count=1 \
  2>/dev/null; then
  echo "the kernel does not limit memory"
  exit 1
fi
limited "$program" --mib "$file_mib" in.raw out.raw

# What the program promises: the numbers of in.raw repeat after so many.
period=100003
od -An -v -tf4 -w4 -N $((4 * period)) out.raw | awk '
  { wrong += $1 - ((NR - 1) / 32 + 1) > 1e-3 || $1 - ((NR - 1) / 32 + 1) < -1e-3 }
  END { print NR " numbers, " wrong + 0 " wrong"; exit !(NR == '$period' && !wrong) }'
cmp <(head -c -$((4 * period)) out.raw) <(tail -c +$((4 * period + 1)) out.raw)
[ "$(stat -c %s out.raw)" -eq $((file_mib << 20)) ]
