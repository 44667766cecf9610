#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Every example of tests/support/examples.h through the real server and the real
# grpcurl, by reflection, with typed numbers.
# Usage: grpcurl_test.sh SERVER EXAMPLES_TOOL
# Exits with 77 (skipped) where grpcurl is missing, unless
# TESTS_REQUIRE_GRPCURL is set.
set -euo pipefail
server=$1
tool=$2

if ! command -v grpcurl >/dev/null; then
  echo "SKIPPED: grpcurl is missing; tests/run.sh builds it where there is Go"
  [ -z "${TESTS_REQUIRE_GRPCURL:-}" ] || exit 1
  exit 77
fi

if [ -z "${STRIDECAST_SERVER:-}" ]; then
  exec "$(dirname "$0")/with_server.sh" "$server" "$(realpath "$0")" "$@"
fi
address=$STRIDECAST_SERVER
work=$PWD  # a directory of its own, removed at the end

call() { grpcurl -plaintext -max-time 20 "$@"; }

failures=0
# The health service is visible and describable by reflection.
call "$address" list >"$work/services"
for service in stridecast.v1.TensorCompute grpc.health.v1.Health; do
  grep -qx "$service" "$work/services" ||
    { echo "not listed: $service"; failures=$((failures + 1)); }
  call "$address" describe "$service" >/dev/null ||
    { echo "not describable: $service"; failures=$((failures + 1)); }
done
for name in "" liveness readiness stridecast.v1.TensorCompute; do
  call -d "{\"service\": \"$name\"}" "$address" grpc.health.v1.Health/Check |
    grep -q '"SERVING"' ||
    { echo "not SERVING: '$name'"; failures=$((failures + 1)); }
done

checked=0
for name in $("$tool" list); do
  code=0
  "$tool" request "$name" >"$work/request"
  call -d @ "$address" stridecast.v1.TensorCompute/Compute \
    <"$work/request" >"$work/output" 2>&1 || code=$?
  "$tool" check "$name" "$code" <"$work/output" || failures=$((failures + 1))
  checked=$((checked + 1))
done
echo "$checked examples through grpcurl, $failures failures"
[ "$checked" -gt 50 ] && [ "$failures" -eq 0 ]
