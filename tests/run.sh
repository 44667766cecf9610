#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, builds, and runs every test.
#   tests/run.sh          the release preset, what is deployed
#   tests/run.sh PRESET   another one: dev, asan, tsan, fuzz
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}

extra=()
[ "$preset" != fuzz ] || extra=(clang-14 libclang-rt-14-dev)
deploy/install-deps.sh "${extra[@]}"
# The tests that call the service with grpcurl are skipped, and say so, where it
# is missing and there is no Go to build it with.
export PATH="$PWD/build/tools:$PATH"
if ! command -v grpcurl >/dev/null && command -v go >/dev/null; then
  echo "run.sh: building grpcurl"
  # Debian's Go 1.19 builds up to v1.9.1; all newer ones build it too.
  GOBIN="$PWD/build/tools" go install \
    github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.1 ||
    echo "run.sh: grpcurl could not be built; its tests will be skipped"
fi
cmake --preset "$preset"
cmake --build --preset "$preset"
ctest --preset "$preset"
