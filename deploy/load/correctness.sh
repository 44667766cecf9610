#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Sends tensors of every type, in all kinds of layouts and sizes, by grpcurl, and
# holds the checksum of each answer's bytes against one that Python computed.
# Usage: correctness.sh [--server-binary FILE]
# Variables, besides those of lib.sh:
#   SEED=1             other numbers
#   MAX_BYTES=1048576  size of the large cases
#   JOBS=4             calls at a time
# shellcheck source=deploy/load/lib.sh
. "$(dirname "$0")/lib.sh"
begin correctness "$@"
whole_number SEED 1
whole_number MAX_BYTES 1048576
whole_number JOBS 4
connect

bounded python3 "$load/sweep.py" make "$work"
(cd "$work" && timed_call warm-up "$service/Relayout" case-0.json case-0.out)
timed_calls "$JOBS" "$work/lines"
python3 "$load/sweep.py" check "$work"
finish
