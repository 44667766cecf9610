#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# C++ code of a README, compiled into a program that checks its own results,
# against a server of its own.
# Usage: readme_program_test.sh SERVER PROGRAM
set -euo pipefail
# shellcheck disable=SC2016
exec "$(dirname "$0")/with_server.sh" "$1" bash -c '"$0" "$STRIDECAST_SERVER"' "$2"
