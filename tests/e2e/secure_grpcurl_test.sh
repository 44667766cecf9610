#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# TLS and tokens as grpcurl meets them: over TCP and a Unix socket, for every
# service of the server, and while certificate and tokens are replaced.
# Usage: secure_grpcurl_test.sh SERVER
# Exits with 77 (skipped) where grpcurl or openssl is missing, unless
# TESTS_REQUIRE_GRPCURL is set.
set -euo pipefail
server=$1
here=$(realpath "$(dirname "$0")")
proto=$(realpath "$here/../../proto")

for tool in grpcurl openssl; do
  if ! command -v "$tool" >/dev/null; then
    echo "SKIPPED: $tool is missing"
    [ -z "${TESTS_REQUIRE_GRPCURL:-}" ] || exit 1
    exit 77
  fi
done

work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
bash "$here/../support/make_certificates.sh" "$work"
cd "$work"
echo abc123 >tokens
# shellcheck source=tests/e2e/start_server.sh
source "$here/start_server.sh"
start_server server.log "$server" --listen "127.0.0.1:0,unix:$work/s.sock" \
  --metrics-listen off --tls-certificate server.pem \
  --tls-private-key server.key --token-file tokens \
  --credentials-refresh-seconds 1 --drain-delay-seconds 0

info=(-import-path "$proto" -proto stridecast/v1/service.proto)
health=(-import-path "$proto" -proto grpc/health/v1/health.proto)
get_info=stridecast.v1.TensorCompute/GetServerInfo
over_tls() { grpcurl -max-time 20 -cacert "$work/ca.pem" "$@" 2>&1; }
over_other() {
  grpcurl -max-time 20 -connect-timeout 3 -cacert "$work/other.pem" "$@" 2>&1
}
over_unix() { grpcurl -max-time 20 -plaintext -unix "$@" 2>&1; }

# TEXT COMMAND...: what it prints has the text.
prints() {
  local text=$1 answer
  shift
  answer=$("$@" || true)
  if [[ $answer != *"$text"* ]]; then
    echo "FAILED: $* prints, without \"$text\":"
    echo "$answer"
    exit 1
  fi
}

for wrong in "authorization: Bearer wrong" "authorization: Bearer abc12" \
  "authorization: Bearer abc1234" "authorization: Basic abc123" \
  "authorization: abc123"; do
  prints 'authorization: not a valid "Bearer TOKEN"' \
    over_tls -H "$wrong" "${info[@]}" "$address" "$get_info"
done
prints 'authorization: missing; needs "Bearer TOKEN"' \
  over_tls "${info[@]}" "$address" "$get_info"
prints '"simdTarget"' over_tls -H "authorization: Bearer abc123" "${info[@]}" \
  "$address" "$get_info"
prints 'Unauthenticated' over_tls "$address" list
prints 'stridecast.v1.TensorCompute' \
  over_tls -H "authorization: bearer abc123" "$address" list
prints '"SERVING"' over_tls "${health[@]}" "$address" grpc.health.v1.Health/Check
prints 'Failed to dial' over_other "${health[@]}" "$address" \
  grpc.health.v1.Health/Check

prints 'authorization: missing' \
  over_unix "${info[@]}" "$work/s.sock" "$get_info"
prints '"simdTarget"' over_unix -H "authorization: Bearer abc123" "${info[@]}" \
  "$work/s.sock" "$get_info"

# Both are replaced while the server runs; another authority signed the new one.
echo newtoken >tokens
mv stranger.key server.key
mv stranger.pem server.pem
renewed() { over_other -H "authorization: Bearer $1" "$address" list; }
for _ in $(seq 30); do
  renewed newtoken >answer && break
  sleep 0.5
done
prints 'stridecast.v1.TensorCompute' renewed newtoken
prints 'Unauthenticated' renewed abc123

kill "$pid"
wait "$pid" || { echo "FAILED: the server ends with $?"; exit 1; }
pid=
if grep -E 'abc123|newtoken' server.log; then
  echo "FAILED: the log has a token"
  exit 1
fi
echo "secure_grpcurl_test: passed"
