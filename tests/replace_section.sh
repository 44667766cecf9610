#!/bin/sh
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Puts what is read from standard input between the lines <!-- NAME --> and
# <!-- end of NAME --> of a file. Usage: replace_section.sh NAME FILE
set -eu
name=$1
file=$2
for marker in "<!-- $name -->" "<!-- end of $name -->"; do
  grep -qxF "$marker" "$file" || { echo "$file: no line $marker" >&2; exit 1; }
done
section=$(mktemp)
trap 'rm -f "$section"' EXIT
cat >"$section"
sed -i -e "/^<!-- $name -->\$/,/^<!-- end of $name -->\$/{
  /^<!-- $name -->\$/{
    p
    r $section
  }
  /^<!-- end of $name -->\$/!d
}" "$file"
