#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Calls every method of the server once with grpcurl and compares the answers
# with those in deploy/load/smoke: is the service there, and does it compute?
# Usage: smoke.sh [--server-binary FILE]
# Variables, besides those of lib.sh:
#   REFLECTION=on   off: the server has none, it is not looked at
# Rates and times are those of grpcurl's processes, 10 to 30 ms each.
# shellcheck source=deploy/load/lib.sh
. "$(dirname "$0")/lib.sh"
begin smoke "$@"
connect

# NAME: the request smoke/NAME.json, the answer smoke/NAME.answer.json.
readonly calls="
  health_liveness   grpc.health.v1.Health/Check
  health_readiness  grpc.health.v1.Health/Check
  health_service    grpc.health.v1.Health/Check
  health_server     grpc.health.v1.Health/Check
  server_info       $service/GetServerInfo
  compute           $service/Compute
  compute_raw       $service/Compute
  relayout          $service/Relayout
  explain           $service/Explain
  compute_stream    $service/ComputeStream
  compute_refused   $service/Compute
"
: >"$work/calls"
# The warm-up: whatever the first connection costs is not counted.
timed_call warm-up "$service/Compute" "$load/smoke/compute.json" "$work/warm-up"
: >"$work/calls"
: >"$work/checks"

# NAME COMMAND...: a line of what has been looked at.
check() {
  local name=$1
  shift
  if "$@" >"$work/why" 2>&1; then
    echo "$name ok" >>"$work/checks"
  else
    say "$name:" "$(<"$work/why")" >&2
    echo "$name failed" >>"$work/checks"
  fi
}
answers_as() {
  cat "$work/$1.out.error"
  python3 "$load/answer.py" "$load/smoke/$1.answer.json" "$work/$1.out" "$2"
}
while read -r name method; do
  [ -n "$name" ] || continue
  timed_call "$name" "$method" "$load/smoke/$name.json" "$work/$name.out"
  check "$name" answers_as "$name" \
    "$(sed -n "s/^$name \([0-9]*\) .*/\1/p" "$work/calls")"
done <<<"$calls"

# Watch never ends by itself: the first answer is waited for.
watch() {
  local first='' line status=0
  mkfifo "$work/watch"
  timeout 20 "${grpcurl[@]}" -d '{"service": "readiness"}' "$address" \
    grpc.health.v1.Health/Watch >"$work/watch" 2>"$work/watch.error" &
  tool_pid=$!
  while read -r -t 20 line; do
    first+=$line
    [ "$line" != "}" ] || break
  done <"$work/watch"
  kill "$tool_pid" 2>/dev/null || true
  wait "$tool_pid" 2>/dev/null || status=$?
  tool_pid=
  [[ $first == *'"status": "SERVING"'* ]] ||
    { echo "'$first', exit $status"; cat "$work/watch.error"; return 1; }
}
check health_watch watch

reflect() {
  bounded grpcurl -connect-timeout 5 -max-time 20 "${security[@]}" "$address" "$@"
}
lists_services() {
  reflect list >"$work/services"
  local name
  for name in "$service" grpc.health.v1.Health; do
    grep -qx "$name" "$work/services" || { cat "$work/services"; return 1; }
  done
}
describes_methods() {
  local method
  reflect describe "$service" >"$work/description"
  for method in Relayout Compute ComputeStream Explain GetServerInfo; do
    grep -q "rpc $method (" "$work/description" || { echo "no $method"; return 1; }
  done
}
if [ "${REFLECTION:-on}" = on ]; then
  check reflection_list lists_services
  check reflection_describe describes_methods
else
  say "reflection is left out"
fi
python3 "$load/summary.py" checks "$work"
finish
