#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Runs the commands of the Go example's README in a copy beside the tool, which
# stays there, and then the program with other arguments. Exits with 77 (skipped) without Go 1.24, protoc or
# the modules, unless TESTS_REQUIRE_GO is set.
# Usage: go_example_test.sh SERVER TOOL
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
server=$1 tool=$2

skip() {
  echo "SKIPPED: $1"
  [ -z "${TESTS_REQUIRE_GO:-}" ] || exit 1
  exit 77
}

command -v go >/dev/null || skip "there is no go"
command -v protoc >/dev/null || skip "there is no protoc"
export GOTOOLCHAIN=local  # never another Go, downloaded
module=$(dirname "$tool")/go_example
mkdir -p "$module"
cp "$repository"/client/examples/go/{go.mod,go.sum,main.go,generate.sh} "$module"
cd "$module"
go list -m >/dev/null 2>&1 || skip "$(go version) is older than go.mod wants"
timeout 600 go mod download >/dev/null 2>&1 || skip "the modules cannot be had"

# 2 x 2: red, green; blue, grey.
base64 -d >picture.png <<'PNG'
iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAE0lEQVR4nGP4z8DAAMIM/xsaGgAc
9AR+KYBA2AAAAABJRU5ErkJggg==
PNG
export STRIDECAST_PROTO=$repository/proto MODULE=$module
# shellcheck disable=SC2016
"$here/readme_block.sh" "$repository/client/examples/go/README.md" "From Go" sh |
  sed 's/127\.0\.0\.1:50051/"$STRIDECAST_SERVER"/' >commands
# shellcheck disable=SC2016
"$here/with_server.sh" "$server" \
  bash -euo pipefail -c 'cd "$MODULE" && source ./commands' | tee output
grep -q 'u8 \[2,2,3\] to f32 \[3,2,2\]: all values right' output
go vet
go build -o normalize

with_server() {
  "$here/with_server.sh" "$server" bash -euo pipefail -c "$1" | tee output
}
# shellcheck disable=SC2016
with_server "$PWD/"'normalize -server "$STRIDECAST_SERVER" -repeats 2'
grep -q 'u8 \[1080,1920,3\] to f32 \[3,1080,1920\]: all values right, .* GB/s' output

# Faults have one line.
if ./normalize -server 127.0.0.1:1 2>output; then exit 1; fi
grep -q '^normalize: Unavailable: ' output && [ "$(wc -l <output)" -eq 1 ]
if ./normalize main.go 2>output; then exit 1; fi
grep -q '^normalize: main.go: ' output && [ "$(wc -l <output)" -eq 1 ]
