# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# What the tests of the tool share. Sourced with their arguments, SERVER and
# TOOL; goes on in an empty directory with a server of its own
# (STRIDECAST_SERVER). They end with `report`.
# shellcheck shell=bash
if [ -z "${STRIDECAST_SERVER:-}" ]; then
  exec "$(dirname "$0")/with_server.sh" "$1" "$(realpath "$0")" "$@"
fi
tool=$2

trap 'echo "FAILED: line $LINENO"' ERR
failures=0
fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# prints TEXT ARGUMENT...: the call succeeds, says nothing on standard error,
# and TEXT is within what it prints.
prints() {
  local text=$1
  shift
  "$tool" "$@" >out 2>err || fail "$* exits with $?: $(cat err)"
  [ ! -s err ] || fail "$* says $(cat err)"
  grep -qF -- "$text" out || fail "$* does not print '$text' but $(cat out)"
}

# refuses CODE TEXT ARGUMENT...: the call exits with CODE, prints nothing, and
# standard error is one line with TEXT.
refuses() {
  local code=$1 text=$2 got=0
  shift 2
  "$tool" "$@" >out 2>err </dev/null || got=$?
  [ "$got" = "$code" ] || fail "$* exits with $got, not $code"
  [ ! -s out ] || fail "$* prints $(cat out)"
  [ "$(wc -l <err)" = 1 ] || fail "$* says other than one line: $(cat err)"
  grep -qF -- "$text" err || fail "$* does not say '$text' but $(cat err)"
}

same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }

report() {
  echo "$failures failures"
  [ "$failures" -eq 0 ]
}
