#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Some of the attacks, for a second each, without control groups: the server
# lives, within the limit that it is told, and nobody else's stream at rest ends.
# Usage: attack_test.sh SERVER
set -euo pipefail
server=$(realpath "$1")
cd "$(dirname "$0")"
skip() {
  echo "SKIPPED: $1"
  [ -z "${TESTS_REQUIRE_PYTHON:-}" ] || exit 1
  exit 77
}
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  skip "no Python 3.11"
command -v openssl >/dev/null || skip "no openssl"
[ "$(nproc)" -ge 2 ] || skip "one CPU"
exec python3 attacks.py "$server" --without-group --seconds 1 --verbose \
  --only message-stated:,more-watch-bytes:,more-watch-unix:,unread-300:,headers-1:
