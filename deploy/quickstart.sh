#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# From a fresh checkout on Debian 12 to an answer over gRPC: installs what is
# missing, builds, starts a server on a free port, normalises a batch of real
# photographs on it, checks the answer, tours the layouts, stops the server.
# A second run takes seconds. The pictures stay in build/quickstart.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$1"; }
fail() {
  echo "quickstart: $1" >&2
  [ ! -s "${log:-}" ] || tail -n 20 "$log" >&2
  exit 1
}

step "packages"
deploy/install-deps.sh

step "build"
mkdir -p build
log=build/cmake.log
cmake --preset release >"$log" 2>&1 || fail "cmake failed"
cmake --build --preset release --target \
  stridecast-server stridecast_tool stridecast_normalize stridecast_tour
bin=build/release

step "server"
out=build/quickstart
mkdir -p "$out"
log=$out/server.log
: >"$log"  # lest the address of an earlier server is read
"$bin"/server/stridecast-server --listen 127.0.0.1:0 --metrics-listen off \
  --drain-delay-seconds 0 2>"$log" &
server_pid=$!
stop_server() {
  kill "$server_pid" 2>/dev/null || true
  wait "$server_pid" 2>/dev/null || true
}
trap stop_server EXIT
address=
for _ in $(seq 100); do
  kill -0 "$server_pid" 2>/dev/null || fail "the server ended at once"
  address=$(sed -n 's/.* serves \([^;]*\);.*/\1/p' "$log")
  [ -n "$address" ] && break
  sleep 0.1
done
[ -n "$address" ] || fail "the server did not say where it listens"
export STRIDECAST_SERVER=$address
"$bin"/client/stridecast health --text || fail "the server is not healthy"
"$bin"/client/stridecast info --text

step "u8 NHWC photographs -> normalised f32 NCHW -> photographs again"
"$bin"/client/stridecast-normalize --batch 16 \
  --out "$out/roundtrip.ppm" deploy/data/chelsea.ppm ||
  fail "the main job failed"
cmp "$out/roundtrip.ppm" deploy/data/chelsea.ppm ||
  fail "the picture that came back is another"

step "layouts and broadcasting in small numbers"
"$bin"/client/stridecast-tour "$address" || fail "the tour found differences"

step "stop"
kill "$server_pid"
wait "$server_pid" || fail "the server did not stop cleanly"
trap - EXIT
echo "quickstart: done; the picture is $out/roundtrip.ppm, its source" \
  "deploy/data/chelsea.ppm"
