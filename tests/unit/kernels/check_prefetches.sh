#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Disassembles a library and fails if a function whose name matches one of the
# patterns asks for no cache line, or if a pattern matches none: nothing but
# time shows a prefetch that the compiler left out, and g++ 12 takes functions
# that only prefetch for such without effects.
# Usage: check_prefetches.sh OBJDUMP ARCHIVE PATTERN ...
set -euo pipefail
objdump=$1 archive=$2
shift 2

"$objdump" -dC --no-show-raw-insn "$archive" |
  patterns=$(printf '%s\n' "$@") awk '
    function finish() {
      if (name != "" && !prefetches) { print "no prefetch in " name; bad = 1 }
    }
    BEGIN { count = split(ENVIRON["patterns"], patterns, "\n") }
    /^[0-9a-f]+ <.*>:$/ {
      finish()
      name = ""
      prefetches = 0
      for (k = 1; k <= count; ++k) {
        if ($0 ~ patterns[k] && $0 !~ /\[clone/) { name = $0; ++found[k] }
      }
    }
    /\tprefetch/ { prefetches = 1 }
    END {
      finish()
      for (k = 1; k <= count; ++k) {
        if (!found[k]) { print "no function is a " patterns[k]; bad = 1 }
      }
      exit bad
    }'
