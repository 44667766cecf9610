#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# The shell commands of one section of a README, as written there but for the
# server's address, against a server of its own.
# Usage: readme_test.sh REPOSITORY SERVER TOOL PAGE SECTION EXPECTED
#   PAGE      within the repository
#   EXPECTED  text that the commands print, blanks and line ends left out
# A section that calls grpcurl is skipped (77) where it is missing, unless
# TESTS_REQUIRE_GRPCURL is set.
set -euo pipefail
repository=$1 server=$2 tool=$3 page=$4 section=$5 expected=$6
here=$(cd "$(dirname "$0")" && pwd)

if [ -z "${STRIDECAST_SERVER:-}" ]; then
  exec "$here/with_server.sh" "$server" "$(realpath "$0")" "$@"
fi
"$here/readme_block.sh" "$repository/$page" "$section" sh >commands
if grep -q '^grpcurl' commands && ! command -v grpcurl >/dev/null; then
  echo "SKIPPED: grpcurl is missing; tests/run.sh builds it where there is Go"
  [ -z "${TESTS_REQUIRE_GRPCURL:-}" ] || exit 1
  exit 77
fi

# The files that commands name. What they write stays out of the repository.
ln -s "$repository/client" "$repository/deploy" .
PATH=$(dirname "$tool"):$PATH
{
  stridecast convert deploy/data/chelsea.ppm -o photo.png
  stridecast convert 'u8[1,2,2,3] 1 2 3 4 5 6 7 8 9 10 11 12' -o batch.npy
  stridecast convert 'f32[2,3] 1 2 3 4 5 6' -o matrix.npy
  stridecast convert 7,8,9 -o vector.npy
} >/dev/null
cat >add.json <<'JSON'
{"instructions": [{"opcode": "ADD", "operands": [0, 1],
                   "broadcastDimensions": [1]}],
 "results": [{}]}
JSON

sed -i "s/127\.0\.0\.1:50051/$STRIDECAST_SERVER/" commands
bash -euo pipefail commands | tee output
tr -d ' \n' <output | grep -qF -- "$expected" ||
  { echo "not printed: $expected"; exit 1; }

# What was written, where the README says or all can see what it is.
holds() {
  [ ! -e "$1" ] || stridecast convert "$1" --json | grep -qF -- "$2" ||
    { echo "$1 does not hold $2"; exit 1; }
}
holds sum.npy '"values":[8.0,10.0,12.0,11.0,13.0,15.0]'
holds x.npy '"values":[1.0,4.0,7.0,10.0,2.0,5.0,8.0,11.0,3.0,6.0,9.0,12.0]'
[ ! -e x.raw ] || od -An -tf4 -w48 x.raw |
  grep -qE '^ +1 +4 +7 +10 +2 +5 +8 +11 +3 +6 +9 +12$' ||
  { echo "x.raw is not x.npy"; exit 1; }
