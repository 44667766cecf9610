#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Measures the greatest error of every function and puts the table into
# core/README.md, between its markers. Arguments are stridecast_accuracy's
# (see --help): without any it takes some minutes, with --all-f32 some hours.
set -euo pipefail
cd "$(dirname "$0")/../.."

build=${STRIDECAST_BUILD_DIR:-build/release}
cmake --preset release -B "$build" >/dev/null
cmake --build "$build" --target stridecast_accuracy

table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$build/tests/accuracy/stridecast_accuracy" "$@" | tee "$table"

# What lies between the markers gives way to the table.
sed -i -e "/<!-- accuracy -->/,/<!-- end of accuracy -->/{
  /<!-- accuracy -->/{
    p
    r $table
  }
  /<!-- end of accuracy -->/!d
}" core/README.md
