#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Many grpcurl at a time: each size with each concurrency, a process a call, and
# every answer compared with the one whose values were checked.
# Usage: parallel.sh [--server-binary FILE]
# Variables, besides those of lib.sh:
#   OPERATION=add              or relayout; message.py says what they are
#   SIZES="1024 65536 1048576" bytes of the tensor
#   CONCURRENCY="1 4 16"       processes at a time
#   CALLS=50                   calls of a cell, a size with a concurrency
# MAX_P99_MS is about the worst cell, MIN_RATE about the best one. Both are those
# of grpcurl's processes; ghz.sh and h2load.sh measure the server.
# shellcheck source=deploy/load/lib.sh
. "$(dirname "$0")/lib.sh"
begin parallel "$@"
choose_operation
whole_numbers SIZES "1024 65536 1048576"
whole_numbers CONCURRENCY "1 4 16"
whole_number CALLS 50
connect

for size in $SIZES; do
  make_message "$size"
  # Also the warm-up of this size.
  check_answer "$size"
  # shellcheck disable=SC2153  # set by whole_numbers
  for concurrency in $CONCURRENCY; do
    for ((i = 0; i < CALLS; ++i)); do
      echo "$size/$concurrency $method $size.json $size-$concurrency-$i $size.answer"
    done >"$work/cell"
    timed_calls "$concurrency" "$work/cell"
  done
done
python3 "$load/summary.py" cells "$work"
finish
