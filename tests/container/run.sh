#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# The container, really: builds the image with a Docker engine, with all tests
# that the build runs, looks at what came out, runs it, calls it, limits it,
# stops it; then deploy/compose.yaml. Takes as long as the build, half an hour on
# two CPUs, and three minutes. Starts an engine where there is none
# (with_engine.sh); ports 50051 and 9090 of loopback have to be free.
# Usage: tests/container/run.sh [TESTS]
# TESTS is the Dockerfile's: which tests the build runs; '' for none.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ -z "${WITH_ENGINE:-}" ]; then
  WITH_ENGINE=1 exec tests/container/with_engine.sh "$PWD/tests/container/run.sh" "$@"
fi
step() { echo; echo "== $1 ($((SECONDS / 60)) min $((SECONDS % 60)) s)"; }

step "build"
options=(
  --network "${BUILD_NETWORK:-default}"
  --build-arg "TESTS=${1-.}"
  --label "org.opencontainers.image.revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)"
  --label "org.opencontainers.image.created=$(date --utc +%Y-%m-%dT%H:%M:%SZ)"
)
read -r -a command < <(
  tests/e2e/readme_block.sh README.md "Call it" sh 2 | grep '^docker build ')
"${command[@]}" "${options[@]}"

step "the image"
tests/container/image_test.sh
step "deploy/compose.yaml"
tests/container/compose_test.sh
step "passed"
