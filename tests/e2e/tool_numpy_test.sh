#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Runs tool_numpy_test.py and tool_eval_numpy_test.py with a Python that has
# NumPy: the system's, or one in a virtual environment beside the tool. Exits
# with 77 (skipped) without either, unless TESTS_REQUIRE_NUMPY is set.
# Usage: tool_numpy_test.sh SERVER TOOL
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
server=$1 tool=$2

skip() {
  echo "SKIPPED: $1"
  [ -z "${TESTS_REQUIRE_NUMPY:-}" ] || exit 1
  exit 77
}

python=$(command -v python3) || skip "there is no python3"
if ! "$python" -c 'import numpy' 2>/dev/null; then
  environment=$(dirname "$tool")/numpy
  [ -x "$environment/bin/python" ] ||
    "$python" -m venv "$environment" >/dev/null 2>&1 ||
    skip "python3 has neither numpy nor venv"
  python=$environment/bin/python
  "$python" -c 'import numpy' 2>/dev/null ||
    timeout 300 "$python" -m pip install --quiet numpy >/dev/null 2>&1 ||
    skip "numpy cannot be installed"
fi
for test in tool_numpy_test tool_eval_numpy_test; do
  "$here/with_server.sh" "$server" "$python" "$here/$test.py" "$tool"
done
