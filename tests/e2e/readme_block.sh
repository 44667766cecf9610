#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Code blocks of a page in Markdown.
# Usage: readme_block.sh PAGE                       lists "SECTION|LANGUAGE"
#        readme_block.sh PAGE SECTION LANGUAGE [N]  prints the N-th such, or 1st
# Fails if there is none.
set -euo pipefail
awk -v wanted_section="${2:-}" -v wanted_language="${3:-}" -v n="${4:-1}" \
  -v lists="$(($# < 2))" '
  !inside && /^#+ / { section = $0; sub(/^#+ /, "", section) }
  /^ *(```|~~~)/ {
    inside = !inside
    matches = 0
    if (!inside) next
    language = $0
    sub(/^ *(```|~~~)/, "", language)
    if (lists) print section "|" language
    matches = !lists && section == wanted_section && \
      language == wanted_language && --n == 0
    found += matches || lists
    next
  }
  matches
  END { exit !found }' "$1"
