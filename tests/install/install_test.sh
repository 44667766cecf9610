#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Installs into a prefix of its own, builds tests/install against it, and runs
# what came out against the installed server.
# Usage: install_test.sh REPOSITORY BUILD_DIRECTORY
set -euo pipefail
repository=$1 build=$2

work=$(mktemp -d)
pid=
cleanup() {
  [ -z "$pid" ] || { kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; } || true
  rm -rf "$work"
}
trap cleanup EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -G Ninja -S "$repository/tests/install" -B "$work/build" \
  -D CMAKE_PREFIX_PATH="$work/prefix" \
  -D HELLO_SOURCE="$repository/client/examples/hello.cc" \
  -D CMAKE_EXPORT_COMPILE_COMMANDS=ON
# Our warnings, and that they are errors, are not the business of others.
if grep -E -- '-Werror|-Wconversion' "$work/build/compile_commands.json"; then
  echo "the package hands on compile options"
  exit 1
fi
cmake --build "$work/build"

: >"$work/log"  # there and empty before the server opens it
"$work/prefix/bin/stridecast-server" --listen 127.0.0.1:0 \
  --drain-delay-seconds 0 2>"$work/log" &
pid=$!
address=
for _ in $(seq 100); do
  address=$(sed -n 's/.* serves \([^;]*\);.*/\1/p' "$work/log")
  [ -n "$address" ] && break
  kill -0 "$pid" || { cat "$work/log"; exit 1; }
  sleep 0.1
done
"$work/prefix/bin/stridecast" --server "$address" health
answer=$("$work/build/hello" "$address" | tr -d ' \n')
echo "hello prints $answer"
[ "$answer" = 81012111315 ]
