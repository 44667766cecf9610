#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Installs into a prefix of its own, builds tests/install against it with CMake
# and again with pkg-config, and runs what came out against the installed server.
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

# Without the server, as client/README.md has it.
cmake -G Ninja -S "$repository" -B "$work/client" -D STRIDECAST_BUILD_SERVER=OFF \
  >/dev/null
cmake --build "$work/client" --target help >"$work/targets"
grep -q '^stridecast_client:' "$work/targets"
if grep '^stridecast-server:' "$work/targets"; then
  echo "there is a server"
  exit 1
fi

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

pc=$(find "$work/prefix" -name stridecast-client.pc)
export PKG_CONFIG_PATH=${pc%/*}
read -ra cflags <<<"$(pkg-config --cflags stridecast-client)"
for static in "" --static; do
  read -ra libs <<<"$(pkg-config $static --libs stridecast-client)"
  g++ -std=c++20 "${cflags[@]}" "$repository/client/examples/hello.cc" \
    "${libs[@]}" -o "$work/hello$static"
done
# Each header by itself, in the first line of a file.
for header in "$work"/prefix/include/stridecast/*.h; do
  echo "#include \"stridecast/${header##*/}\"" |
    g++ -std=c++20 -fsyntax-only "${cflags[@]}" -x c++ -
done
# Each example as its reader would compile it.
for example in "$repository"/client/examples/*.cc; do
  g++ -std=c++20 -fsyntax-only "${cflags[@]}" "$example"
done

: >"$work/log"  # there and empty before the server opens it
"$work/prefix/bin/stridecast-server" --listen 127.0.0.1:0 \
  --metrics-listen off --drain-delay-seconds 0 2>"$work/log" &
pid=$!
address=
for _ in $(seq 100); do
  address=$(sed -n 's/.* serves \([^;]*\);.*/\1/p' "$work/log")
  [ -n "$address" ] && break
  kill -0 "$pid" || { cat "$work/log"; exit 1; }
  sleep 0.1
done
"$work/prefix/bin/stridecast" --server "$address" health
grep -q '^\.TH STRIDECAST 1' "$work/prefix/share/man/man1/stridecast.1"
bash -n "$work/prefix/share/bash-completion/completions/stridecast"
for hello in "$work/build/hello" "$work/hello" "$work/hello--static"; do
  answer=$("$hello" "$address" | tr -d ' \n')
  echo "${hello#"$work/"} prints $answer"
  [ "$answer" = 81012111315 ]
done
