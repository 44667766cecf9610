#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# The shell commands of one section of README.md, as written there but for the
# server's address, against a server of its own.
# Usage: readme_test.sh REPOSITORY SERVER TOOL SECTION EXPECTED [PROGRAM]
#   EXPECTED  text that the commands print, blanks and line ends left out
#   PROGRAM   the section's C++ code, compiled; run instead of commands
# A section that calls grpcurl is skipped (77) where it is missing, unless
# STRIDECAST_REQUIRE_GRPCURL is set.
set -euo pipefail
repository=$1 server=$2 tool=$3 section=$4 expected=$5 program=${6:-}

if [ -z "${STRIDECAST_SERVER:-}" ]; then
  exec "$(dirname "$0")/with_server.sh" "$server" "$(realpath "$0")" "$@"
fi
work=$PWD  # a directory of its own, removed at the end
[ -z "$program" ] || echo "$program 127.0.0.1:50051" >"$work/commands"
[ -n "$program" ] || awk -v heading="### $section" '
  /^##/ { inside = $0 == heading }
  /^```/ { code = inside && $0 == "```sh"; next }
  code' "$repository/README.md" >"$work/commands"
[ -s "$work/commands" ] || { echo "README.md: no commands in '$section'"; exit 1; }
if grep -q '^grpcurl' "$work/commands" && ! command -v grpcurl >/dev/null; then
  echo "SKIPPED: grpcurl is missing; tests/run.sh builds it where there is Go"
  [ -z "${STRIDECAST_REQUIRE_GRPCURL:-}" ] || exit 1
  exit 77
fi

# What the commands write stays out of the repository.
ln -s "$repository/client" "$repository/deploy" "$work"
sed -i "s/127\.0\.0\.1:50051/$STRIDECAST_SERVER/" "$work/commands"
(
  cd "$work"
  PATH=$(dirname "$tool"):$PATH bash -euo pipefail commands | tee output
)
tr -d ' \n' <"$work/output" | grep -qF -- "$expected" ||
  { echo "not printed: $expected"; exit 1; }
