#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# How latency grows with load, and where it turns up: ghz offers one rate after
# the other, whether earlier calls have ended or not.
# Usage: ghz.sh [--server-binary FILE]
# Variables, besides those of lib.sh:
#   OPERATION=add       or relayout; message.py says what they are
#   SIZE=1024           bytes of the tensor
#   CONNECTIONS=4
#   CONCURRENCY=16      calls at a time of the first run, a closed loop, whose
#                       rate is the capacity
#   RATES=              calls a second of the steps; empty: 10 to 120 % of that
#   STEP_SECONDS=5      how long each runs
#   TIMEOUT_SECONDS=5   of a call
#   KNEE_FACTOR=3       the knee is the last step before the first one that has
#                       errors (MAX_ERROR_RATE), answers less than 95 % of the
#                       offered rate, or has a median of more than KNEE_FACTOR
#                       times the least one
# MAX_P99_MS and MIN_RATE are about the knee, MAX_ERROR_RATE about all steps up to
# it. Reports: ghz.json; ghz.knee.json and ghz.knee.html, ghz's own, at the knee.
# shellcheck source=deploy/load/lib.sh
. "$(dirname "$0")/lib.sh"
begin ghz "$@"
choose_operation
whole_number SIZE 1024
whole_number CONNECTIONS 4
whole_number CONCURRENCY 16
whole_number STEP_SECONDS 5
whole_number TIMEOUT_SECONDS 5
whole_number KNEE_FACTOR 3
[ -z "${RATES:-}" ] || whole_numbers RATES
[ "$CONCURRENCY" -ge "$CONNECTIONS" ] ||
  bad_usage "CONCURRENCY=$CONCURRENCY is less than CONNECTIONS=$CONNECTIONS"
need_ghz
connect

make_message "$SIZE"
check_answer "$SIZE"

# The message as it is on the wire: from JSON ghz would make it anew for each call.
ghz=(ghz --proto "$repository/proto/stridecast/v1/service.proto"
  --import-paths "$repository/proto" --call "${method/\//.}"
  --binary-file "$work/$SIZE.bin" --disable-template-data
  --disable-template-functions --connections "$CONNECTIONS"
  --concurrency "$CONCURRENCY" --duration-stop wait
  --timeout "${TIMEOUT_SECONDS}s" --max-recv-message-size 1GB)
if [ -n "${CA_FILE:-}" ]; then ghz+=(--cacert "$CA_FILE"); else ghz+=(--insecure); fi
[ -z "${CERT_FILE:-}" ] || ghz+=(--cert "$CERT_FILE" --key "$KEY_FILE")
if [ -n "${LOAD_TOKEN:-}" ]; then
  echo "{\"authorization\": \"Bearer $LOAD_TOKEN\"}" >"$work/metadata"
  ghz+=(--metadata-file "$work/metadata")
fi
# FORMAT FILE SECONDS FLAG ...: ghz ends with an error if any call does, so that its
# report is what counts.
run() {
  local format=$1 file=$2 seconds=$3
  shift 3
  bounded "${ghz[@]}" --format "$format" --output "$file" \
    --duration "${seconds}s" "$@" "$address" \
    >"$work/ghz.log" 2>&1 || true
  [ -s "$file" ] || { cat "$work/ghz.log" >&2; fail "ghz made no report"; }
}

run json "$work/warm-up.json" 1
run json "$work/closed.json" "$STEP_SECONDS"
if [ -z "${RATES:-}" ]; then
  RATES=$(python3 "$load/rates.py" rates "$work")
fi
for rate in $RATES; do
  # Asynchronous: else a call that is late delays the next ones, and their wait
  # is in no number.
  run json "$work/open-$rate.json" "$STEP_SECONDS" --rps "$rate" --async
done
python3 "$load/rates.py" summary "$work"

knee=$(python3 "$load/rates.py" knee "$work")
if [ -n "$knee" ]; then
  cp "$work/open-$knee.json" "$out/ghz.knee.json"
  run html "$out/ghz.knee.html" "$STEP_SECONDS" --rps "$knee" --async
fi
check_answer "$SIZE"
finish
