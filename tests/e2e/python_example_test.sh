#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Runs python_example_test.py, and the example's own programs, in a virtual
# environment beside the tool, which stays there. Exits with 77 (skipped) where
# that cannot be made, unless TESTS_REQUIRE_PYTHON is set.
# Usage: python_example_test.sh SERVER TOOL
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
server=$1 tool=$2
example=$here/../../client/examples/python

skip() {
  echo "SKIPPED: $1"
  [ -z "${TESTS_REQUIRE_PYTHON:-}" ] || exit 1
  exit 77
}

environment=$(dirname "$tool")/python_example
python=$environment/bin/python
if [ ! -x "$python" ]; then
  command -v python3 >/dev/null || skip "there is no python3"
  python3 -m venv "$environment" >/dev/null 2>&1 ||
    skip "python3 has no venv"
fi
needed='import grpc, grpc_status, grpc_tools, ml_dtypes, numpy'
"$python" -c "$needed" 2>/dev/null ||
  timeout 300 "$python" -m pip install --quiet \
    --requirement "$example/requirements.txt" >/dev/null 2>&1 ||
  skip "grpcio, NumPy and ml_dtypes cannot be installed"

export PYTHONPATH=$example PYTHONDONTWRITEBYTECODE=1
export STRIDECAST_STUBS=$environment/stubs
export GRPC_VERBOSITY=NONE  # a failed handshake is one of the checks
"$here/with_server.sh" "$server" "$python" "$here/python_example_test.py" "$tool"
"$here/with_server.sh" "$server" "$python" "$example/normalize.py" |
  tee "$environment/output"
grep -q 'as NumPy has it' "$environment/output"
"$here/with_server.sh" "$server" "$python" "$example/bench.py" --mib 1 \
  --repeats 2 | tee "$environment/output"
[ "$(grep -c 'GB/s' "$environment/output")" -eq 4 ]
