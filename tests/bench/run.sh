#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Installs what the benchmarks need, builds them and runs them.
#   tests/bench/run.sh core [--json FILE] [flags of stridecast_core_bench]
#   tests/bench/run.sh service [--json FILE] [--only=TEXT]
# rivals.py measures the core's cases beside other libraries.
set -euo pipefail
caller=$PWD
cd "$(dirname "$0")/../.."
what=${1-}
case $what in
  core | service) shift ;;
  *) sed -n '4,8s/^# \?//p' "$0"; exit 2 ;;
esac
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --json)
      # Relative to where this was called.
      [[ $2 = /* ]] && file=$2 || file=$caller/$2
      arguments+=("--json=$file"); shift 2 ;;
    *) arguments+=("$1"); shift ;;
  esac
done
deploy/install-deps.sh libbenchmark-dev
build=${STRIDECAST_BUILD_DIR:-build/release}
cmake --preset release -B "$build" >/dev/null
bench=$build/tests/bench
if [ "$what" = core ]; then
  cmake --build "$build" --target stridecast_core_bench
  "$bench/stridecast_core_bench" "${arguments[@]}"
else
  cmake --build "$build" --target stridecast-server \
    stridecast_baseline_server stridecast_service_bench
  "$bench/stridecast_service_bench" "$build/server/stridecast-server" \
    "$bench/stridecast_baseline_server" "${arguments[@]}"
fi
