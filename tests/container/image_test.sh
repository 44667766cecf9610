#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# What the image holds, and what the server does in it. Needs a Docker engine on
# this machine; grpcurl is built where there is Go, else its calls are left out,
# and that is said, unless TESTS_REQUIRE_GRPCURL is set.
# Usage: image_test.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
image=stridecast:0.1.0
max_size=$((40 << 20))

work=$(mktemp -d)
containers=()
cleanup() {
  status=$?
  if [ $status -ne 0 ] && [ ${#containers[@]} -gt 0 ]; then
    echo "--- log of ${containers[-1]}" >&2
    docker logs --tail 20 "${containers[-1]}" >&2
  fi
  [ ${#containers[@]} -eq 0 ] || docker rm --force "${containers[@]}" >/dev/null
  rm -rf "$work"
  exit $status
}
trap cleanup EXIT
fail() { echo "image_test: $1" >&2; exit 1; }
expect() { # WHAT ACTUAL EXPECTED
  [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}
passed() { echo "  $1"; }

config() { docker image inspect --format "{{$1}}" "$image"; }
inspect() { docker inspect --format "{{$2}}" "$1"; }

# What every container below is started with: nothing that the server may not
# need.
hardened=(--read-only --cap-drop ALL --security-opt no-new-privileges)

# NAME [FLAG ...] -- [SERVER-FLAG ...]: starts it, as $container.
start() {
  container=stridecast-test-$$-$1
  shift
  local flags=()
  while [ "$1" != -- ]; do flags+=("$1"); shift; done
  containers+=("$container")
  docker run --detach --name "$container" "${flags[@]}" "$image" "${@:2}" >/dev/null
}
# The tool, in a container of its own that shares the server's network.
tool() {
  docker run --rm --interactive --network "container:$container" \
    "${hardened[@]}" --entrypoint stridecast "$image" "$@"
}
wait_until() { # WHAT COMMAND ...
  local what=$1
  shift
  for _ in $(seq 300); do
    "$@" && return
    sleep 0.1
  done
  fail "not within 30 s: $what"
}
is_health() { [ "$(inspect "$container" .State.Health.Status)" = "$1" ]; }
wait_for_health() { wait_until "health is $1" is_health "$1"; }
http_get() { # PATH, on the metrics port, which is published
  exec 3<>"/dev/tcp/127.0.0.1/$(docker port "$container" 9464 | sed 's/.*://')"
  printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&3
  cat <&3
  exec 3>&-
}
# No pipe: what is found ends grep, and the rest of it would fail.
has_logged() { grep -q -- "$1" <(docker logs "$container" 2>&1); }
adds() {
  local answer
  answer=$(tool eval x+1 x=1,2) || fail "x + 1 has no answer"
  [[ $answer == *'"values":[2.0,3.0]'* ]] || fail "1 + 1, 2 + 1: $answer"
}

export PATH="$PATH:$PWD/build/tools"
if ! command -v grpcurl >/dev/null && command -v go >/dev/null; then
  GOBIN="$PWD/build/tools" go install \
    github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.1 || true
fi
# The README's example, at an address.
sums_with_grpcurl() {
  local block answer
  if ! command -v grpcurl >/dev/null; then
    [ -z "${TESTS_REQUIRE_GRPCURL:-}" ] || fail "grpcurl is missing"
    passed "SKIPPED: grpcurl is missing, and there is no Go to build it with"
    return
  fi
  block=$(tests/e2e/readme_block.sh README.md "From any gRPC client" sh)
  answer=$(bash -c "${block//127.0.0.1:50051/$1}" | tr -d ' \n') ||
    fail "grpcurl has no answer"
  [[ $answer == *'"floats":[8,11,10,13,12,15]'* ]] || fail "grpcurl: $answer"
  passed "grpcurl is answered"
}

looks_right() {
  local version files
  version=$(sed -n 's/^project(stridecast VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  label() { config "index .Config.Labels \"org.opencontainers.image.$1\""; }
  expect "the image's tag" "${image#*:}" "$version"
  expect "label version" "$(label version)" "$version"
  expect "label title" "$(label title)" stridecast
  expect "label licenses" "$(label licenses)" Apache-2.0
  [[ $(label created) =~ ^20[0-9-]+T[0-9:]+Z$ ]] || fail "label created: $(label created)"
  [[ $(label revision) =~ ^([0-9a-f]{40}|unknown)$ ]] ||
    fail "label revision: $(label revision)"
  for program in stridecast-server stridecast; do
    docker run --rm --entrypoint $program "$image" --version |
      grep -qw -- "${version//./\\.}" || fail "$program is not of version $version"
  done
  expect user "$(config .Config.User)" 10001:10001
  expect "stop signal" "$(config .Config.StopSignal)" SIGTERM
  expect entrypoint "$(config 'json .Config.Entrypoint')" \
    '["/usr/local/bin/stridecast-server"]'
  expect ports "$(config 'json .Config.ExposedPorts')" '{"50051/tcp":{},"9464/tcp":{}}'
  expect volumes "$(config 'json .Config.Volumes')" null
  passed "version $version, labels, user, ports"

  container=stridecast-test-$$-files
  containers+=("$container")
  docker create --name "$container" "$image" >/dev/null
  # Without what the engine itself puts in.
  docker export "$container" | tar --list --verbose --numeric-owner |
    grep -v ' \(\.dockerenv\|dev/\|proc/\|sys/\|etc/$\|etc/\(hostname\|hosts\|mtab\|resolv.conf\)\)' \
      >"$work/files"
  files=$(awk '$1 ~ /^-..x/ && $NF !~ /\.so(\.|$)/ { print $NF }' "$work/files" | sort | xargs)
  expect "what can be executed" "$files" \
    "usr/local/bin/stridecast usr/local/bin/stridecast-server"
  files=$(awk '$2 != "0/0" || $1 ~ /^-.*[st]/ || $1 ~ /^[-d].......w/' "$work/files")
  expect "what is not root's, or is writable by others, or changes the user" "$files" ""
  files=$(awk '$1 ~ /^-/ && $4 != "1970-01-01"' "$work/files")
  expect "what has another time than SOURCE_DATE_EPOCH" "$files" ""
  passed "the two programs, no shell, nothing that others may write to"

  local size
  size=$(config .Size)
  passed "$size bytes: $(awk "BEGIN { printf \"%.1f MB, %.1f MiB\", $size / 1e6, $size / 2^20 }")"
  [ "$size" -le $max_size ] || fail "more than $max_size bytes"
}

runs_hardened() {
  local pid address
  start hardened "${hardened[@]}" --health-interval 1s --memory 1g --cpus 1 \
    --publish 127.0.0.1::50051 --publish 127.0.0.1::9464 --
  wait_for_health healthy
  pid=$(inspect "$container" .State.Pid)
  status() { awk -v name="$1:" '$1 == name { $1 = ""; print substr($0, 2) }' "/proc/$pid/status"; }
  expect "user ids" "$(status Uid)" "10001 10001 10001 10001"
  expect "group ids" "$(status Gid)" "10001 10001 10001 10001"
  expect "effective capabilities" "$(status CapEff)" 0000000000000000
  expect NoNewPrivs "$(status NoNewPrivs)" 1
  expect "process in the container" "$(status NSpid | awk '{ print $NF }')" 1
  passed "healthy as user 10001, process 1, read-only, without capabilities"

  # 3/8 of the memory.
  has_logged ' 1 threads; .* in flight 402653184, memory 805306368 of 1073741824 usable' ||
    fail "--memory 1g --cpus 1: the server says something else"
  passed "--memory 1g --cpus 1: 1 thread, 384 MiB in flight"
  adds
  expect "a transposed matrix" \
    "$(tool relayout 'u8[2,3] 1 2 3 4 5 6' --result-layout column-major \
      -o - --format raw | od -An -tu1 | xargs)" "1 4 2 5 3 6"
  passed "the tool is answered"
  address=$(docker port "$container" 50051)
  sums_with_grpcurl "$address"
  [[ $(http_get /readyz) == 'HTTP/1.'?' 200 '* ]] || fail "/readyz is not 200"

  # More than may be in flight, for some seconds: calls are refused, for no other
  # reason, and the container is not killed for its memory.
  tool bench --size 16mb --concurrency 24 --connections 4 --duration 4 \
    >"$work/bench" 2>&1 || true
  grep -q '"errors":{"RESOURCE_EXHAUSTED":[0-9]*}' "$work/bench" ||
    fail "24 calls of 16 MB at a time: $(cat "$work/bench")"
  expect "killed for its memory" "$(inspect "$container" .State.OOMKilled)" false
  expect restarts "$(inspect "$container" .RestartCount)" 0
  adds
  passed "24 calls of 16 MB at a time in 1 GiB: some are refused, it lives"
}

drains() {
  local call stopped
  # The cosine of the cosine of ...: seconds on a fifth of a CPU. The answer, 32 MB,
  # is everywhere the number that is its own cosine.
  python3 - >"$work/program" <<'PYTHON'
import json
print(json.dumps({
    "operands": [{"type": "F32"}],
    "instructions":
        [{"opcode": "BROADCAST_IN_DIM", "operands": [0],
          "broadcastInDim": {"shape": {"dimensions": [8000000]}}}]
        + [{"opcode": "COS", "operands": [i]} for i in range(1, 250)],
    "results": [{}]}))
PYTHON
  start drain "${hardened[@]}" --cpus 0.2 --publish 127.0.0.1::9464 -- \
    --listen=0.0.0.0:50051 --allow-plaintext --metrics-listen=0.0.0.0:9464 \
    --drain-delay-seconds=0 --drain-deadline-seconds=120
  wait_until "the server listens" has_logged ' serves '
  tool eval -p - 1 -o - --format raw --timeout 120 <"$work/program" >"$work/answer" &
  call=$!
  runs_a_call() { grep -q '^stridecast_inflight_calls 1' <(http_get /metrics); }
  wait_until "the call runs" runs_a_call
  docker stop --time 150 "$container" >/dev/null
  stopped=$(inspect "$container" .State.ExitCode)
  wait $call || fail "the call that ran got no answer"
  expect "exit code" "$stopped" 0
  expect "the answer's size" "$(stat -c %s "$work/answer")" 32000000
  # Either f32 beside the fixed point is a cosine within the error bound.
  answer=$(od -An -tf4 -w4 "$work/answer" | xargs)
  [[ $answer =~ ^0\.7390851[0-9]?\ \*$ ]] || fail "the answer: '$answer'"
  grep -q 'Compute OK' \
    <(docker logs "$container" 2>&1 | sed -n '/shutting down/,$p') ||
    fail "the call was over before the drain began: make it longer"
  passed "docker stop lets a running call end, exit code 0"
}

# Health and calls over TLS, as deploy/README.md has it.
speaks_tls() {
  tests/support/make_certificates.sh "$work"
  chmod a+rx "$work"
  chmod a+r "$work"/*.pem "$work"/*.key
  start tls "${hardened[@]}" --health-interval 1s \
    --volume "$work:/tls:ro" --env STRIDECAST_SERVER=unix-abstract:health -- \
    --listen=0.0.0.0:50051,unix-abstract:health \
    --tls-certificate=/tls/server.pem --tls-private-key=/tls/server.key
  wait_for_health healthy
  expect "a call over TLS" "$(docker run --rm --network "container:$container" \
    --volume "$work:/tls:ro" --entrypoint stridecast "$image" \
    --server 127.0.0.1:50051 --tls-ca /tls/ca.pem health)" '{"status":"SERVING"}'
  tool --server 127.0.0.1:50051 health 2>/dev/null && fail "plaintext is answered"
  passed "TLS, and health beside it"
}

tells_bad_health() {
  start unhealthy "${hardened[@]}" --health-interval 1s --health-start-period 1ms \
    --env STRIDECAST_SERVER=127.0.0.1:1 --
  wait_for_health unhealthy
  passed "unhealthy where it does not answer"
}

# As the README does.
runs_plain() {
  local command
  read -r -a command < <(
    tests/e2e/readme_block.sh README.md "Call it" sh 2 | grep '^docker run ')
  container=stridecast-test-$$-plain
  containers+=("$container")
  docker run --detach --name "$container" "${command[@]:2}" >/dev/null
  wait_until "the server listens" has_logged ' serves '
  adds
  sums_with_grpcurl 127.0.0.1:50051
  expect "files that were written" "$(docker diff "$container")" ""
  has_logged " $(nproc) threads;" || fail "without limits: not $(nproc) threads"
  passed "${command[*]}: nothing is written"
}

looks_right
runs_hardened
tells_bad_health
speaks_tls
drains
runs_plain
