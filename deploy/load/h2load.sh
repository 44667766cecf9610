#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# A third opinion: h2load, an HTTP/2 client in C that knows nothing of gRPC, sends
# a framed message again and again. It takes less CPU than any gRPC client.
# Usage: h2load.sh [--server-binary FILE]
# Variables, besides those of lib.sh:
#   OPERATION=add              or relayout; message.py says what they are
#   SIZES="1024 65536 1048576" bytes of the tensor
#   STREAMS="1 16"             calls at a time on each connection, a closed loop
#   CONNECTIONS=2
#   STEP_SECONDS=5             how long each size with each STREAMS takes, about
# MAX_P99_MS is about the worst cell, MIN_RATE about the best one.
# shellcheck source=deploy/load/lib.sh
. "$(dirname "$0")/lib.sh"
begin h2load "$@"
choose_operation
whole_numbers SIZES "1024 65536 1048576"
whole_numbers STREAMS "1 16"
whole_number CONNECTIONS 2
whole_number STEP_SECONDS 5
[ -z "${TOKEN_FILE:-}" ] ||
  fail "h2load takes a token from its command line alone, where all can read it"
[ -z "${CERT_FILE:-}" ] || fail "h2load has no certificate of its own to show"
need_h2load
connect

scheme=http
[ -z "${CA_FILE:-}" ] || scheme=https  # whose certificate it does not check
url=$scheme://$address/$method
headers=(-H 'content-type: application/grpc' -H 'te: trailers')
# CALLS STREAMS SIZE FILE
run() {
  rm -f "$4.log"
  bounded h2load -n "$1" -c "$CONNECTIONS" -m "$2" -d "$work/$3.frame" \
    "${headers[@]}" --log-file "$4.log" "$url" >"$4.txt" 2>&1 ||
    { tail -n 5 "$4.txt" >&2; fail "h2load failed"; }
}
# The same bytes by a client that shows what comes back.
check_reply() {
  bounded nghttp --data="$work/$1.frame" "${headers[@]}" "$url" >"$work/$1.reply" \
    2>"$work/nghttp.log" || { cat "$work/nghttp.log" >&2; fail "nghttp failed"; }
  python3 "$load/message.py" check-frame "$work/$1" "$work/$1.reply" ||
    fail "$method of $1 bytes answers wrong values"
}

for size in $SIZES; do
  make_message "$size"
  check_answer "$size"
  check_reply "$size"
  # shellcheck disable=SC2153  # set by whole_numbers
  for streams in $STREAMS; do
    # A count, not a time: at the end of a time h2load drops what is under way,
    # and bytes would no longer count answers. The warm-up says how many.
    flights=$((CONNECTIONS * streams))
    run $((20 * flights)) "$streams" "$size" "$work/warm-up"
    rate=$(sed -n 's/^finished in .*, \([0-9]*\)[0-9.]* req.*/\1/p' "$work/warm-up.txt")
    calls=$((${rate:-0} * STEP_SECONDS))
    [ "$calls" -ge $((20 * flights)) ] || calls=$((20 * flights))
    run "$calls" "$streams" "$size" "$work/$size-$streams"
  done
  check_reply "$size"
done
python3 "$load/summary.py" h2load "$work"
finish
