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

"$build/tests/accuracy/stridecast_accuracy" "$@" | tee /dev/stderr |
  tests/replace_section.sh accuracy core/README.md
