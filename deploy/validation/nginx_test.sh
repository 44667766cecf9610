#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# deploy/nginx/nginx.conf at work: three servers behind it on loopback, calls
# that no replica's end disturbs, and gRPC's own answers when none is left.
# Usage: nginx_test.sh NGINX [SERVER TOOL]
# Without SERVER and TOOL only the answers of nginx itself are looked at.
set -euo pipefail
nginx=$1
server=${2:-}
tool=${3:-}
configuration=$(realpath "$(dirname "$0")/../nginx/nginx.conf")

work=$(mktemp -d)
declare -A pids=()
cleanup() {
  status=$?
  [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
  wait
  [ $status -eq 0 ] || tail -n 5 "$work"/*.log >&2
  rm -rf "$work"
  exit $status
}
trap cleanup EXIT
fail() { echo "nginx_test: $1" >&2; exit 1; }

free_ports() {
  python3 - "$1" <<'PYTHON'
import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in sockets))
PYTHON
}
read -r -a ports <<<"$(free_ports 4)"
address=127.0.0.1:${ports[0]}

wait_until() {
  for _ in $(seq 100); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  fail "not within 10 s: $*"
}
answers() { curl -s -o /dev/null "$@"; }

# The file as it is, but for what this machine lacks: the replicas' names, the
# container's /tmp and output.
sed -e "s/stridecast-1:50051/127.0.0.1:${ports[1]}/" \
    -e "s/stridecast-2:50051/127.0.0.1:${ports[2]}/" \
    -e "s/stridecast-3:50051/127.0.0.1:${ports[3]}/" \
    -e "s/listen 50051/listen $address/" \
    -e "s#/tmp/#$work/#; s#/dev/stdout#$work/calls#" \
    "$configuration" >"$work/nginx.conf"
"$nginx" -e stderr -t -q -c "$work/nginx.conf" 2>"$work/check.log" || fail "nginx -t"

if [ -n "$server" ]; then
  for replica in 1 2 3; do
    "$server" --listen "127.0.0.1:${ports[$replica]}" \
      --metrics-listen off --drain-delay-seconds 1 2>"$work/server$replica.log" &
    pids[$replica]=$!
  done
fi
"$nginx" -e stderr -c "$work/nginx.conf" -g 'daemon off;' 2>"$work/nginx.log" &
pids[nginx]=$!
wait_until answers --http2-prior-knowledge "http://$address/"

if [ -n "$server" ]; then
  export STRIDECAST_SERVER=$address
  wait_until "$tool" health --service readiness
  "$tool" eval 'x + 1' 'x=f32[2] 1 2' | grep -q '"values":\[2.0,3.0\]' ||
    fail "1 + 1, 2 + 1: not 2, 3"
  # Greater than any buffer of nginx, there and back.
  "$tool" bench --size 32mb --concurrency 2 --count 4 >/dev/null ||
    fail "calls of 32 MB failed"
  # One replica drains under load, then one is killed: no call may fail. The
  # library repeats those that a replica dies with.
  python3 - "$work" <<'PYTHON'
import struct, sys
for name, value in (("zeros", 0), ("ones", 1)):
    with open(f"{sys.argv[1]}/{name}.raw", "wb") as file:
        file.write(struct.pack("<f", value) * 65536)
PYTHON
  call() {
    local result=$work/result$BASHPID.raw
    "$tool" eval 'x + 1' "x=$work/zeros.raw:f32[256,256]" \
      --output "$result" 2>&1 && cmp "$result" "$work/ones.raw" 2>&1
  }
  call_until() {
    local said
    while [ ! -e "$work/$1" ]; do
      said=$(call) || { echo "$said" >&2; return 1; }
    done
  }
  # Waits until so many more calls have ended.
  calls_go_on() {
    local wanted=$(($(wc -l <"$work/calls") + $1))
    has_calls() { [ "$(wc -l <"$work/calls")" -ge "$wanted" ]; }
    wait_until has_calls
  }
  # Usage: under_load REPLICA SIGNAL WHAT
  under_load() {
    local callers=()
    for _ in 1 2 3 4; do
      call_until "$1.ended" & callers+=($!)
    done
    calls_go_on 20
    kill "-$2" "${pids[$1]}"
    wait "${pids[$1]}" 2>/dev/null || [ "$2" = KILL ] ||
      fail "replica $1 exited with $?"
    unset "pids[$1]"
    calls_go_on 50
    touch "$work/$1.ended"
    for caller in "${callers[@]}"; do
      wait "$caller" || fail "a call failed while a replica $3"
    done
  }
  under_load 1 TERM drained
  under_load 2 KILL "was killed"
  # These are not repeated: nginx itself goes on to the next replica, whenever
  # it tries the lost one again (fail_timeout, 2 s).
  "$tool" bench --size 1kb --concurrency 4 --duration 5 >/dev/null ||
    fail "calls failed after a replica was killed"
  for replica in 1 2 3; do
    grep -q "\"replica\":\"127.0.0.1:${ports[$replica]}\"" "$work/calls" ||
      fail "replica $replica got no call"
  done
  kill -TERM "${pids[3]}"
  wait "${pids[3]}" || fail "a drained replica exited with $?"
  unset 'pids[3]'
fi

# What nginx says itself is gRPC: a status in the headers and nothing else.
expect_status() {
  local path=$1 want=$2 got
  got=$(curl -s -D - -X POST --http2-prior-knowledge -H 'te: trailers' \
    -H 'content-type: application/grpc' "http://$address$path" |
    tr -d '\r' | sed -n 's/^grpc-status: //p')
  [ "$got" = "$want" ] || fail "$path: grpc-status is '$got', not $want"
}
expect_status /stridecast.v1.TensorCompute/Compute 14  # UNAVAILABLE
expect_status /grpc.health.v1.Health/Check 14
expect_status /grpc.channelz.v1.Channelz/GetServers 12  # UNIMPLEMENTED
echo "nginx_test: passed${server:+, with three servers}"
