#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# The scripts of deploy/load against the real server, with short settings: each
# passes, says what was asked of it in JSON, fails past a threshold and leaves no
# process behind.
# Usage: load_scripts_test.sh SERVER
# Scripts whose tools are missing are left out, and said so; exits with 77
# (skipped) where that is all of them. TESTS_REQUIRE_GRPCURL (openssl, too),
# TESTS_REQUIRE_GHZ and TESTS_REQUIRE_H2LOAD make a missing tool an error.
set -euo pipefail
server=$(realpath "$1")
load=$(cd "$(dirname "$0")/../../deploy/load" && pwd)
export PATH="$PATH:$load/../../build/tools"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OUT_DIR=$work/out MAX_SECONDS=300
# A copy, so that its processes can be told from those of other tests.
install "$server" "$work/load-scripts-server"
server=$work/load-scripts-server

failures=0
flaw() { echo "FAILED: $*"; failures=$((failures + 1)); }
# TOOL REQUIRED: whether it is there.
have() {
  command -v "$1" >/dev/null && return
  echo "left out: $1 is missing"
  [ -z "$2" ] || flaw "$1 is missing"
  return 1
}
# No process runs the copy of the server, nor calls it.
check_no_process() {
  local executable
  for executable in /proc/[0-9]*/exe; do
    case $(readlink "$executable" 2>/dev/null) in
      "$server" | "$server (deleted)") flaw "$1: ${executable%/exe} is left" ;;
      */grpcurl | */ghz | */h2load)
        ! tr '\0' '\n' <"${executable%/exe}/environ" 2>/dev/null |
          grep -qxF "OUT_DIR=$OUT_DIR" || flaw "$1: ${executable%/exe} is left"
        ;;
    esac
  done
}
# NAME WANTED_CODE SETTING...: one run, and what it leaves.
run() {
  local name=$1 wanted=$2 code=0
  shift 2
  mkdir -p "$OUT_DIR"
  echo "of an earlier run" >"$OUT_DIR/$name.json"
  env "$@" "$load/$name.sh" --server-binary "$server" >"$work/log" 2>&1 || code=$?
  if [ "$code" -ne "$wanted" ]; then
    cat "$work/log"
    flaw "$name $*: exit code $code, not $wanted"
  fi
  check_no_process "$name"
  [ "$wanted" -ne 2 ] || return 0
  python3 - "$OUT_DIR/$name.json" "$wanted" <<'END' || flaw "$name: its report"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["passed"] == (sys.argv[2] == "0"), report["past_thresholds"]
assert bool(report["past_thresholds"]) == (sys.argv[2] == "1")
assert report["results"] and report["environment"]["cpus"] > 0
assert report["environment"]["server"]["version"]
# Thresholds in these tests are of rates and times: no answer may be wrong.
assert report["summary"]["error_rate"] == 0, report["summary"]
END
}

if ! have grpcurl "${TESTS_REQUIRE_GRPCURL:-}"; then
  [ "$failures" -eq 0 ] || exit 1
  echo "SKIPPED: tests/run.sh builds grpcurl where there is Go"
  exit 77
fi
run smoke 0
run smoke 1 MAX_P99_MS=0.001
run parallel 0 SIZES=1024 CONCURRENCY="1 4" CALLS=8
run parallel 1 SIZES=1024 CONCURRENCY=2 CALLS=4 MIN_RATE=1000000
run parallel 2 SIZES=none
run parallel 2 MAX_P99_MS=nan
run smoke 2 MIN_RATE=fast
# Says why it ends.
code=0
env MAX_SECONDS=4 SIZES=1024 CONCURRENCY=1 CALLS=100000 "$load/parallel.sh" \
  --server-binary "$server" >"$work/log" 2>&1 || code=$?
[ "$code" -eq 1 ] && grep -q "MAX_SECONDS=4 have passed" "$work/log" ||
  flaw "parallel past MAX_SECONDS: exit code $code: $(cat "$work/log")"
check_no_process parallel
run correctness 0 MAX_BYTES=4096
# Of a server that wants certificates of its callers.
mutual=()
if have openssl "${TESTS_REQUIRE_GRPCURL:-}"; then
  bash "$load/../../tests/support/make_certificates.sh" "$work"
  flags="--tls-certificate=$work/server.pem --tls-private-key=$work/server.key"
  mutual=(CA_FILE="$work/ca.pem" CERT_FILE="$work/client.pem"
    KEY_FILE="$work/client.key"
    SERVER_FLAGS="$flags --tls-client-ca=$work/ca.pem")
  run smoke 0 "${mutual[@]}"
  run smoke 2 CERT_FILE="$work/client.pem"
fi
if have ghz "${TESTS_REQUIRE_GHZ:-}"; then
  [ ${#mutual[@]} -eq 0 ] ||
    run ghz 0 "${mutual[@]}" RATES=50 STEP_SECONDS=4 KNEE_FACTOR=1000
  # Far below capacity; a step is so long that a pause of the machine is less than
  # the 5 % of it by which a rate is missed.
  run ghz 0 RATES=50 STEP_SECONDS=4 KNEE_FACTOR=1000
  [ -s "$OUT_DIR/ghz.knee.html" ] || flaw "ghz: no HTML report"
  python3 "$load/plot.py" "$OUT_DIR/ghz.json" "$work/plot.svg"
  grep -q 'knee</text>' "$work/plot.svg" || flaw "plot.py draws no knee"
  run ghz 1 RATES=50 STEP_SECONDS=1 KNEE_FACTOR=1000 MIN_RATE=1000000
fi
if have h2load "${TESTS_REQUIRE_H2LOAD:-}"; then
  run h2load 0 SIZES=1024 STREAMS="1 4" STEP_SECONDS=1
  run h2load 1 SIZES=1024 STREAMS=1 STEP_SECONDS=1 MAX_P99_MS=0.001
fi
[ "$failures" -eq 0 ] || exit 1
echo "passed"
