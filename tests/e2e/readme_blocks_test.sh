#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Every code block of README.md, client/README.md and of the examples' pages has
# a test that runs it, listed here; a block that is not listed is a failure, and so is a test that is
# not there.
# Usage: readme_blocks_test.sh REPOSITORY BUILD_DIRECTORY
set -euo pipefail
repository=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
cd "$repository"

# PAGE|SECTION|LANGUAGE|TEST, in the pages' order. gate: .ci/run runs the
# commands; container: tests/container does, and reads them from the page;
# picture: there is nothing to run.
known='README.md|Quick start|sh|gate
README.md|Quick start|sh|gate
README.md|Call it|sh|gate
README.md|Call it|sh|container
README.md|From C++|cpp|readme_cpp_test
README.md|From any gRPC client|sh|readme_grpcurl_test
README.md|From the shell|sh|readme_shell_test
README.md|The way of the data||picture
README.md|Working on it|sh|gate
client/README.md|In ten lines|cpp|client_readme_hello_test
client/README.md|In ten lines|cpp|client_readme_expressions_test
client/README.md|The tool|sh|client_readme_tool_test
client/examples/python/README.md|From Python, with NumPy|sh|python_example_test
client/examples/python/README.md|From Python, with NumPy|python|python_example_test
client/examples/go/README.md|From Go|sh|go_example_test'

for page in README.md client/README.md client/examples/{python,go}/README.md; do
  "$here/readme_block.sh" "$page" | sed "s:^:$page|:"
done | diff --label "known to $0" --label "in the READMEs" -u \
  <(sed 's/|[^|]*$//' <<<"$known") -

failures=0
fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

tests=$(ctest --test-dir "$build" --show-only | sed -n 's/^ *Test *#[0-9]*: //p')
sed 's/.*|//' <<<"$known" | grep -vx 'gate\|container\|picture' | while read -r name; do
  grep -qx "$name" <<<"$tests" || { echo "FAILED: no test $name"; exit 1; }
done

# Commands of the gate, of which a workflow is only known to be there.
workflows=$(cmake --workflow --list-presets)
for section in "Quick start|1" "Quick start|2" "Call it|1" "Working on it|1"; do
  while read -r command; do
    case $command in
      .ci/run | tests/container/run.sh) ;;
      "cmake --workflow --preset "*)
        grep -qF "\"${command##* }\"" <<<"$workflows" ||
          fail "no workflow for $command" ;;
      *) grep -qF "$command" .ci/run || fail ".ci/run does not run $command" ;;
    esac
  done < <("$here/readme_block.sh" README.md "${section%|*}" sh \
    "${section#*|}" | sed 's/ *#.*//')
done
exit $((failures > 0))
