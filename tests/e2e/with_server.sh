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
pid=
trap '[ -z "$pid" ] || { kill $pid; wait $pid; } 2>/dev/null; rm -rf "$work"' EXIT
# shellcheck source=tests/e2e/start_server.sh
source "$(dirname "$0")/start_server.sh"
start_server "$work/log" "$server" --listen 127.0.0.1:0 \
  --metrics-listen 127.0.0.1:0 --drain-delay-seconds 0
mkdir "$work/here"
cd "$work/here"
STRIDECAST_SERVER=$address "$@"
