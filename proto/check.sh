#!/bin/sh
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Checks the contract: its style and comments (buf lint), and that it breaks no
# caller of what is in baseline.binpb (buf breaking).
#   proto/check.sh                  checks
#   proto/check.sh --write-baseline checks, then makes the contract as it stands
#                                   the baseline: with every release
# Before the first release the baseline may be removed and written anew.
# Needs npm, which brings buf into build/ on the first run.
set -eu
cd "$(dirname "$0")"

buf_version=1.75.0
cache=$(cd .. && pwd)/build/buf-$buf_version
buf=$cache/node_modules/.bin/buf
export BUF_CACHE_DIR="$cache/cache"

if [ ! -x "$buf" ]; then
  if ! command -v npm >/dev/null 2>&1; then
    echo "proto/check.sh: npm is missing; it installs buf $buf_version" \
      "(Debian: apt-get install npm)" >&2
    exit 2
  fi
  mkdir -p "$cache"
  npm install --prefix "$cache" --no-save --no-audit --no-fund --silent \
    "@bufbuild/buf@$buf_version" || {
    echo "proto/check.sh: npm could not install buf $buf_version" >&2
    exit 2
  }
fi

"$buf" lint
echo "lint: clean"
if [ -f baseline.binpb ]; then
  "$buf" breaking --path stridecast --against baseline.binpb
  echo "breaking: none against baseline.binpb"
elif [ "${1-}" != --write-baseline ]; then
  echo "proto/check.sh: baseline.binpb is missing" >&2
  exit 1
fi
if [ "${1-}" = --write-baseline ]; then
  # Without comments, which may change.
  "$buf" build --path stridecast --exclude-source-info -o baseline.binpb
  echo "baseline.binpb written"
fi
