#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# An example program against a server of its own; how it explains itself; and
# its one line where there is no server.
# Usage: example_test.sh REPOSITORY SERVER EXPECTED PROGRAM [ARGUMENT ...]
#   EXPECTED  text that the program prints, blanks and line ends left out
#   ARGUMENT  the server's address is added behind the last one
# It runs in an empty directory, in which "deploy" is that of the repository.
set -euo pipefail
repository=$1 server=$2 expected=$3
if [ -z "${STRIDECAST_SERVER:-}" ]; then
  exec "$(dirname "$0")/with_server.sh" "$server" "$(realpath "$0")" "$@"
fi
shift 3
address=$STRIDECAST_SERVER
unset STRIDECAST_SERVER  # it is the argument that counts
fail() {
  echo "FAILED: $1"
  exit 1
}
ln -s "$repository/deploy" .

"$@" "$address" | tee output
tr -d ' \n' <output | grep -qF -- "$expected" || fail "not printed: $expected"

"$1" --help >output 2>err || fail "--help exits with $?"
[ ! -s err ] || fail "--help says $(cat err)"
grep -qi "^usage: .*${1##*/} " output || fail "no line of usage: $(cat output)"

if "$@" 127.0.0.1:1 >output 2>err; then fail "success without a server"; fi
[ "$(wc -l <err)" = 1 ] || fail "other than one line: $(cat err)"
grep -q "^${1##*/}: UNAVAILABLE: .*127\.0\.0\.1:1" err || fail "unclear: $(cat err)"
