# shellcheck shell=bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# start_server LOG SERVER FLAG ...: starts a server whose log goes to LOG. Sets
# pid, and address, the first that it serves; ends the shell if it serves none.
# To be sourced; who does so ends $pid.
start_server() {
  local log=$1
  shift
  : >"$log"  # there and empty before the server opens it
  "$@" 2>"$log" &
  pid=$!
  for _ in $(seq 300); do
    address=$(sed -n 's/.* serves \([^,;]*\)[,;].*/\1/p' "$log")
    [ -z "$address" ] || return 0
    kill -0 "$pid" || break
    sleep 0.1
  done
  cat "$log"
  exit 1
}
