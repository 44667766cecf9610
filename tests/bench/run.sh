#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Installs what the benchmarks need, builds them and runs them.
#   tests/bench/run.sh core [--json FILE] [flags of stridecast_core_bench]
# rivals.py measures the same cases beside other libraries.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "${1-}" = core ] || { sed -n '4,7s/^# \?//p' "$0"; exit 2; }
shift
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --json) arguments+=("--json=$2"); shift 2 ;;
    *) arguments+=("$1"); shift ;;
  esac
done
deploy/install-deps.sh libbenchmark-dev
build=${STRIDECAST_BUILD_DIR:-build/release}
cmake --preset release -B "$build" >/dev/null
cmake --build "$build" --target stridecast_core_bench
"$build/tests/bench/stridecast_core_bench" "${arguments[@]}"
