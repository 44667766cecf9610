#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Attacks a server whose memory is limited: README.md beside this. Builds it in
# build/release unless STRIDECAST_SERVER names one. Needs root and two CPUs.
#   tests/attack/run.sh [flags of attacks.py]
set -euo pipefail
cd "$(dirname "$0")/../.."
server=${STRIDECAST_SERVER:-}
if [ -z "$server" ]; then
  build=build/release
  [ -f "$build/build.ninja" ] || cmake --preset release -B "$build" >/dev/null
  cmake --build "$build" --target stridecast-server >&2
  server=$build/server/stridecast-server
fi
exec python3 tests/attack/attacks.py "$server" "$@"
