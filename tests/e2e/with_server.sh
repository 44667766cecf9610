#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Runs a command while a server of its own serves, whose address is in
# STRIDECAST_SERVER; in an empty directory, which goes away with it.
# Usage: with_server.sh SERVER COMMAND [ARGUMENT ...]
set -euo pipefail
server=$1
shift

work=$(mktemp -d)
: >"$work/log"  # there and empty before the server opens it
"$server" --listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0 \
  --drain-delay-seconds 0 2>"$work/log" &
pid=$!
trap 'kill $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$work"' EXIT
address=
for _ in $(seq 100); do
  address=$(sed -n 's/.* serves \([^;]*\);.*/\1/p' "$work/log")
  [ -n "$address" ] && break
  kill -0 $pid || { cat "$work/log"; exit 1; }
  sleep 0.1
done
mkdir "$work/here"
cd "$work/here"
STRIDECAST_SERVER=$address "$@"
