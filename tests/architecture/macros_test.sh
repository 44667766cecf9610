#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Installed headers define STRIDECAST_ macros alone: whoever includes them has no
# other macro than by including what they include of other libraries.
# Usage: macros_test.sh COMPILER INCLUDE_DIRECTORIES HEADERS
#   both lists with ";" in between; headers as paths
set -euo pipefail
IFS=';' read -ra directories <<<"$2"
IFS=';' read -ra headers <<<"$3"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiler=("$1" -std=c++20 -x c++ -dM -E)
for directory in "${directories[@]}"; do
  [ -z "$directory" ] || compiler+=(-I "$directory")
done

# The names of the macros that a file has at its end.
macros() {
  "${compiler[@]}" "$1" | sed -E 's/^#define ([A-Za-z0-9_]+).*/\1/' | sort -u
}

count=0
: >"$work/ours.cc"
for header in "${headers[@]}"; do
  case $header in
    *.h)
      echo "#include \"stridecast/${header##*/}\"" >>"$work/ours.cc"
      count=$((count + 1))
      ;;
  esac
done
[ "$count" -ge 20 ] || { echo "only $count headers given"; exit 1; }
# All that they include of others, in their order.
grep -hE '^#include' "${headers[@]}" | grep -v '"stridecast/' >"$work/theirs.cc"

macros "$work/theirs.cc" >"$work/theirs"
macros "$work/ours.cc" >"$work/ours"
grep -q '^STRIDECAST_CLIENT_H_$' "$work/ours" || { echo "nothing was included"; exit 1; }
if comm -13 "$work/theirs" "$work/ours" | grep -v '^STRIDECAST_'; then
  echo "installed headers define these"
  exit 1
fi
echo "$count headers, no macro but STRIDECAST_*"
