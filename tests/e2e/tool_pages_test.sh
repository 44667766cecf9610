#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# The manual page and the bash completion that the tool prints of itself.
# Usage: tool_pages_test.sh TOOL
set -euo pipefail
tool=$1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

"$tool" man >stridecast.1
for text in '.TH STRIDECAST 1' '.SS relayout' '\-\-result\-layout' \
  '.SH EXIT STATUS' 'STRIDECAST_SERVER'; do
  grep -qF -- "$text" stridecast.1 || fail "the page lacks $text"
done
if command -v groff >/dev/null; then
  groff -man -Tutf8 -ww stridecast.1 >page 2>warnings ||
    fail "groff exits with $?"
  [ ! -s warnings ] || fail "groff warns: $(cat warnings)"
else
  echo "not tested: how the page is set, for there is no groff"
fi
if command -v mandoc >/dev/null; then
  mandoc -Tlint -W warning stridecast.1 || fail "mandoc warns"
fi

"$tool" completion >stridecast.bash
bash -n stridecast.bash || fail "the completion is no bash"
# shellcheck disable=SC1091
source ./stridecast.bash

# completes EXPECTED WORD...: the last word, which may be empty, has those
# completions, sorted.
completes() {
  local expected=$1
  shift
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _stridecast
  local got
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
  [ "${got% }" = "$expected" ] || fail "'$*' completes to '$got', not '$expected'"
}

mkdir here
cd here
touch photo.png photo.npy 'a name.npy'
completes 'relayout' stridecast rel
completes 'health help' stridecast he
completes 'completion convert' stridecast co
completes '--server' stridecast --se
completes '--result-elements --result-layout --result-offset --result-strides' \
  stridecast relayout --result
completes '--overflow' stridecast --server x convert --ov
completes 'liveness readiness stridecast.v1.TensorCompute' \
  stridecast health --service ''
completes 'saturate wrap' stridecast convert --overflow ''
completes 'highest lowest one zero' stridecast relayout --padding-value ''
completes 'f16 f32 f64' stridecast convert --to f
completes 'photo.npy photo.png' stridecast relayout ph
completes 'a name.npy' stridecast relayout 'a n'
completes 'photo.npy photo.png' stridecast relayout x.npy -o ph
completes 'photo.npy photo.png' stridecast eval -p ph
completes 'a name.npy photo.npy photo.png' stridecast eval -p x 0 =
# As bash splits --to=f.
completes 'f16 f32 f64' stridecast convert --to = f
completes 'saturate wrap' stridecast convert --overflow =
completes 'relayout' stridecast bench --op = re
completes 'photo.npy photo.png' stridecast relayout x.npy --output = ph
completes '' stridecast info x
completes '' stridecast relayout --dims ''

echo "$failures failures"
[ "$failures" -eq 0 ]
