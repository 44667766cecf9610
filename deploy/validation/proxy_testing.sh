# shellcheck shell=bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# What the tests of proxies share: three servers on loopback, calls through the
# proxy, and a load that no replica's end disturbs. Who sources this sets
#   proxy      its name
#   tool       how the command-line tool is called, as an array
#   address    where the proxy is
#   authority  who signed its certificate, as an array of one file; empty: no TLS
# and writes a line for each call, with "replica":"ADDRESS", to $work/calls.
# shellcheck disable=SC2154

work=$(mktemp -d)
declare -A pids=()
cleanup() {
  status=$?
  trap - EXIT
  [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
  wait
  [ $status -eq 0 ] || tail -n 5 "$work"/*.log >&2
  rm -rf "$work"
  exit $status
}
trap cleanup EXIT
fail() { echo "${proxy}_test: $1" >&2; exit 1; }

# COUNT: sets `ports`.
choose_ports() {
  read -r -a ports < <(python3 - "$1" <<'PYTHON'
import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in sockets))
PYTHON
  )
}

wait_until() {
  for _ in $(seq 100); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  fail "not within 10 s: $*"
}
answers() { curl -s -o /dev/null "$@"; }

# SERVER [FLAG ...]: replicas 1 to 3, on ports 1 to 3.
start_replicas() {
  local server=$1 replica
  shift
  for replica in 1 2 3; do
    "$server" --listen "127.0.0.1:${ports[$replica]}" \
      --metrics-listen off --drain-delay-seconds 1 "$@" \
      2>"$work/server$replica.log" &
    pids[$replica]=$!
  done
}

check_calls() {
  wait_until "${tool[@]}" health --service readiness
  "${tool[@]}" eval 'x + 1' 'x=f32[2] 1 2' | grep -q '"values":\[2.0,3.0\]' ||
    fail "1 + 1, 2 + 1: not 2, 3"
  # Greater than any buffer of the proxy, there and back.
  "${tool[@]}" bench --size 32mb --concurrency 2 --count 4 >/dev/null ||
    fail "calls of 32 MB failed"
}

# Floods of HTTP/2, which cost a server much of its memory (README.md, "Threat
# model"), end at the proxy.
check_attacks() {
  local replica kib
  python3 - "$(dirname "${BASH_SOURCE[0]}")/../../tests/attack" "$address" \
    "${authority[@]}" \
    <<'PYTHON' || fail "the attackers met no proxy"
import sys, time
sys.path.insert(0, sys.argv[1])
from callers import Attacker
from cases import CASES
from http2 import Address
for case in CASES:
    if not case.flood:
        continue
    attacker = Attacker(case, Address(*sys.argv[2:]), case.num_connections)
    begin = time.monotonic()
    seen = attacker.run(begin, begin + 2)
    assert seen["opened"] and seen["bytes"] > 100_000, (case.name, seen)
PYTHON
  for replica in 1 2 3; do
    # Calls of 32 MB take most of it.
    kib=$(awk '/^VmHWM/ {print $2}' "/proc/${pids[$replica]}/status")
    [ "$kib" -lt 262144 ] || fail "attacks came through: replica $replica has $kib KiB"
  done
}

# [refused]: a server ends a whole connection on metadata beyond 8 KiB, counted
# as gRPC does: name, value and 32 bytes for each field. No call of others may
# fail for it; `refused`: by the proxy, each time.
check_metadata() {
  local honest
  "${tool[@]}" bench --size 1kb --concurrency 4 --duration 6 \
    >"$work/bench.log" 2>&1 & honest=$!
  python3 - "$(dirname "${BASH_SOURCE[0]}")/../../tests/attack" "${1:-}" \
    "$address" "${authority[@]}" \
    <<'PYTHON' || fail "great metadata was not refused, or small one was"
import sys, time
sys.path.insert(0, sys.argv[1])
from cases import CHECK, number
from http2 import Address, Call, Connection, with_prefix
SERVING = with_prefix(number(1, 1))
for num_fields, value_bytes, is_served in (
        (1, 12000, False),  # great only with the 32 bytes a field:
        (85, 70, False), (33, 170, True)):
    fields = tuple((f"x-{i:02}", "q" * value_bytes) for i in range(num_fields))
    call = Call(CHECK, with_prefix(b""), ends=True, timeout="5S", metadata=fields)
    for _ in range(20):
        connection = Connection(Address(*sys.argv[3:]), blocks=True, patience=5)
        try:
            reply = connection.call(call).reply
        except ConnectionError:
            reply = b""
        if is_served or sys.argv[2]:
            assert (reply == SERVING) == is_served, (num_fields, value_bytes, reply)
        connection.close()
        time.sleep(0.05)
PYTHON
  wait "$honest" || { cat "$work/bench.log" >&2; fail "calls failed beside great metadata"; }
}

make_operands() {
  python3 - "$work" <<'PYTHON'
import struct, sys
for name, value in (("zeros", 0), ("ones", 1)):
    with open(f"{sys.argv[1]}/{name}.raw", "wb") as file:
        file.write(struct.pack("<f", value) * 65536)
PYTHON
}
call() {
  local result=$work/result$BASHPID.raw
  "${tool[@]}" eval 'x + 1' "x=$work/zeros.raw:f32[256,256]" \
    --output "$result" 2>&1 && cmp "$result" "$work/ones.raw" 2>&1 &&
    rm "$result"
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
  # shellcheck disable=SC2329  # by wait_until
  has_calls() { [ "$(wc -l <"$work/calls")" -ge "$wanted" ]; }
  wait_until has_calls
}
# REPLICA SIGNAL WHAT: no call may fail. The library repeats those that a replica
# dies with.
under_load() {
  local callers=() caller
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
# One replica drains under load, one is killed, the last one drains.
check_ends() {
  local replica
  make_operands
  under_load 1 TERM drained
  under_load 2 KILL "was killed"
  # These are not repeated: the proxy itself goes on to the next replica,
  # whenever it tries the lost one again.
  "${tool[@]}" bench --size 1kb --concurrency 4 --duration 5 >/dev/null ||
    fail "calls failed after a replica was killed"
  for replica in 1 2 3; do
    grep -q "\"replica\":\"127.0.0.1:${ports[$replica]}\"" "$work/calls" ||
      fail "replica $replica got no call"
  done
  kill -TERM "${pids[3]}"
  wait "${pids[3]}" || fail "a drained replica exited with $?"
  unset 'pids[3]'
}

# URL [FLAG-OF-CURL ...]: what the proxy says itself, as no replica is left, is
# gRPC.
check_own_answers() {
  local url=$1
  shift
  expect_status "$url" /stridecast.v1.TensorCompute/Compute 14 "$@"  # UNAVAILABLE
  expect_status "$url" /grpc.health.v1.Health/Check 14 "$@"
  expect_status "$url" /grpc.channelz.v1.Channelz/GetServers 12 "$@"  # UNIMPLEMENTED
}
# URL PATH STATUS [FLAG-OF-CURL ...]: a status in the headers and nothing else;
# clients look at it where the answer says that it is gRPC's.
expect_status() {
  local url=$1$2 wanted=$3 got
  shift 3
  got=$(curl -s -D - -X POST "$@" -H 'te: trailers' \
    -H 'content-type: application/grpc' "$url" | tr -d '\r' |
    awk '/^HTTP\/2 / {http = $2} /^content-type: / {type = $2}
         /^grpc-status: / {status = $2} body {rest = rest $0} /^$/ {body = 1}
         END {print http, type, status rest}')
  [ "$got" = "200 application/grpc $wanted" ] ||
    fail "$url: '$got', not 200 application/grpc $wanted"
}
