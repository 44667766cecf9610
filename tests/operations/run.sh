#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Writes the operation reference into core/README.md, between its markers.
# With --check PROGRAM, a built stridecast_operations, fails instead if what
# stands there is not what the program says.
set -euo pipefail
cd "$(dirname "$0")/../.."
proto=proto/stridecast/v1/program.proto

if [ "${1-}" = --check ]; then
  expected=$(mktemp)
  trap 'rm -f "$expected"' EXIT
  cp core/README.md "$expected"
  "$2" "$proto" | tests/replace_section.sh operations "$expected"
  diff -u core/README.md "$expected" ||
    { echo "core/README.md is out of date: run tests/operations/run.sh"; exit 1; }
  exit
fi

build=${STRIDECAST_BUILD_DIR:-build/release}
cmake --preset release -B "$build" >/dev/null
cmake --build "$build" --target stridecast_operations
"$build/tests/operations/stridecast_operations" "$proto" |
  tests/replace_section.sh operations core/README.md
