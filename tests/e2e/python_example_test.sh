#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Runs the commands and the code of the Python example's README, in a folder
# beside the tool, which stays there with the virtual environment that they make;
# then python_example_test.py, and the example's own programs. Exits with 77 (skipped) where
# that cannot be made, unless TESTS_REQUIRE_PYTHON is set.
# Usage: python_example_test.sh SERVER TOOL
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
server=$1 tool=$2
example=$(realpath "$here/../../client/examples/python")

skip() {
  echo "SKIPPED: $1"
  [ -z "${TESTS_REQUIRE_PYTHON:-}" ] || exit 1
  exit 77
}

environment=$(realpath "$(dirname "$tool")")/python_example
python=$environment/venv/bin/python
mkdir -p "$environment"
cd "$environment"
ln -sf "$example"/* .
block() { "$here/readme_block.sh" README.md "From Python, with NumPy" "$1"; }
command -v python3 >/dev/null || skip "there is no python3"
needed='import grpc, grpc_status, grpc_tools, ml_dtypes, numpy'
"$python" -c "$needed" 2>/dev/null ||
  timeout 300 bash -c "$(block sh | head -n 1)" >/dev/null 2>&1 ||
  skip "no venv, or grpcio, NumPy and ml_dtypes cannot be installed"

export PYTHONDONTWRITEBYTECODE=1
export STRIDECAST_STUBS=$environment/stubs
export GRPC_VERBOSITY=NONE  # a failed handshake is one of the checks
# shellcheck disable=SC2016
commands=$(block sh | tail -n +2 |
  sed "s:127\\.0\\.0\\.1\\:50051:\$STRIDECAST_SERVER:; s:^:cd '$environment' \&\& :")
"$here/with_server.sh" "$server" bash -euo pipefail -c "$commands" | tee output
grep -q 'as NumPy has it' output
{
  cat <<'PYTHON'
import os
import numpy as np
array = np.arange(24, dtype="f4").reshape(4, 6)
batch = np.arange(2 * 4 * 5 * 3, dtype="u1").reshape(2, 4, 5, 3)
mean, deviation = np.float32([.4, .5, .6]), np.float32([.1, .2, .3])
a, b = np.float32([1, 2]), np.float32([2, 1])
PYTHON
  block python | sed 's/"127\.0\.0\.1:50051"/os.environ["STRIDECAST_SERVER"]/'
  cat <<'PYTHON'
assert np.array_equal(client.compute(normalize, batch), normalize(batch))
moved = client.relayout(batch, dims="NHWC", order="NCHW")
assert np.array_equal(moved, batch) and moved.strides == (60, 5, 1, 20)
PYTHON
} >page.py
"$here/with_server.sh" "$server" "$python" "$environment/page.py"

export PYTHONPATH=$example
"$here/with_server.sh" "$server" "$python" "$here/python_example_test.py" "$tool"
"$here/with_server.sh" "$server" "$python" "$example/bench.py" --mib 1 \
  --repeats 2 | tee "$environment/output"
[ "$(grep -c 'GB/s' "$environment/output")" -eq 4 ]
