# shellcheck shell=bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# What the load scripts share. A script sources this, then calls
#   begin NAME "$@"     options, directories, grpcurl; NAME is the report's name
#   need_...            the other tools that it takes
#   connect             a server that serves, its description, its health
#   ... its measurement, which writes $work/results.json ...
#   finish              the report, the thresholds, the exit code
#
# Variables of all scripts, with their defaults:
#   SERVER=127.0.0.1:50051   whom to call; not with --server-binary
#   SERVER_FLAGS=            more flags for the server of --server-binary
#   CA_FILE=                 PEM certificates: call over TLS
#   CERT_FILE= KEY_FILE=     PEM certificates and key of the caller, over TLS
#   TOKEN_FILE=              bearer tokens, the first of which is sent
#   OUT_DIR=build/load       where reports go
#   WAIT_SECONDS=30          how long to wait for health
#   MAX_SECONDS=600          limit of the whole run
#   MAX_ERROR_RATE=0 MAX_P99_MS= MIN_RATE=   thresholds; empty: none
# Exit codes: 0 passed; 1 past a threshold, wrong answers, no server, no tool;
# 2 bad command line or variable.
set -euo pipefail
export LC_ALL=C  # points, not commas, in numbers

load=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$load/../.." && pwd)
service=stridecast.v1.TensorCompute
server_pid=
tool_pid=

say() { echo "$load_name: $*"; }
# Not to where a command's errors are kept: its caller may have sent them away.
exec {errors}>&2
fail() { echo "$load_name: $*" >&"$errors"; exit 1; }
bad_usage() { echo "$load_name: $*" >&"$errors"; exit 2; }

# By the processes' own numbers. `timeout` hands the signal on to all that the
# tool has started.
clean_up() {
  local status=$?
  trap - EXIT INT TERM
  if [ -n "$tool_pid" ]; then
    kill "$tool_pid" 2>/dev/null || true
    wait "$tool_pid" 2>/dev/null || true
  fi
  if [ -n "$server_pid" ]; then
    kill "$server_pid" 2>/dev/null || true
    wait "$server_pid" 2>/dev/null || true
  fi
  [ -z "${work:-}" ] || rm -rf "$work"
  exit "$status"
}

# Usage: begin NAME [ARGUMENT ...]
begin() {
  load_name=$1
  shift
  local server_binary=
  while [ $# -gt 0 ]; do
    case $1 in
      --server-binary)
        [ $# -ge 2 ] && [ -x "$2" ] || bad_usage "--server-binary needs a program"
        server_binary=$(realpath "$2")
        shift 2
        ;;
      -h | --help) sed -n '2,/^[^#]/{/^# shellcheck/d; s/^# \{0,1\}//p}' "$0"; exit 0 ;;
      *) bad_usage "unknown argument $1 (--help says which there are)" ;;
    esac
  done
  load_server_binary=$server_binary
  whole_number WAIT_SECONDS 30
  whole_number MAX_SECONDS 600
  if [ -n "${CERT_FILE:-}${KEY_FILE:-}" ]; then
    [ -n "${CERT_FILE:-}" ] && [ -n "${KEY_FILE:-}" ] && [ -n "${CA_FILE:-}" ] ||
      bad_usage "CERT_FILE and KEY_FILE: one needs the other, and CA_FILE"
  fi
  threshold MAX_ERROR_RATE
  threshold MAX_P99_MS
  threshold MIN_RATE
  started_at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  load_at_start=$(cut -d' ' -f1-3 /proc/loadavg)
  out=${OUT_DIR:-$repository/build/load}
  mkdir -p "$out"
  out=$(cd "$out" && pwd)
  # What a run that fails leaves is not an earlier run's.
  rm -f "$out/$load_name.json" "$out/$load_name".knee.*
  export PATH="$PATH:$repository/build/tools"
  command -v python3 >/dev/null || fail "python3 is missing: apt-get install python3"
  work=$(mktemp -d)
  export work
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  need_go_tool grpcurl github.com/fullstorydev/grpcurl/cmd/grpcurl v1.9.1
}

# NAME DEFAULT: sets the variable to its default, checks that it is a number.
whole_number() {
  declare -gx "$1=${!1:-${2:-}}"
  [[ ${!1} =~ ^[1-9][0-9]*$ ]] || bad_usage "$1=${!1}: not a whole number above 0"
}
# The same for a list of them.
whole_numbers() {
  declare -gx "$1=${!1:-${2:-}}"
  [[ ${!1} =~ ^[1-9][0-9]*( +[1-9][0-9]*)*$ ]] ||
    bad_usage "$1=${!1}: not whole numbers above 0, with spaces between"
}

# NAME: checks that a threshold is a number, or empty.
threshold() {
  [[ ${!1:-0} =~ ^[0-9]+(\.[0-9]+)?$ ]] || bad_usage "$1=${!1}: not a number"
}

# NAME PACKAGE VERSION ...: finds a program, or builds the first of the versions
# that this Go can build.
need_go_tool() {
  local name=$1 package=$2 version
  shift 2
  command -v "$name" >/dev/null && return
  command -v go >/dev/null ||
    fail "$name is missing. With Go: GOBIN=$repository/build/tools go install" \
      "$package@$1; or put it into PATH"
  for version in "$@"; do
    say "building $name $version into build/tools"
    GOBIN="$repository/build/tools" \
      bounded go install "$package@$version" >"$work/go.log" 2>&1 && return
  done
  cat "$work/go.log" >&2
  fail "$name could not be built"
}
# Debian 12's Go 1.19 builds 0.120.0; the other needs Go 1.23.
need_ghz() { need_go_tool ghz github.com/bojand/ghz/cmd/ghz v0.121.0 v0.120.0; }
need_h2load() {
  local name
  for name in h2load nghttp; do
    command -v "$name" >/dev/null ||
      fail "$name is missing: apt-get install nghttp2-client"
  done
}

# COMMAND...: runs it for as long as the run has left. It is waited for in a way
# that signals interrupt.
bounded() {
  local left=$((MAX_SECONDS - SECONDS)) status=0
  [ "$left" -gt 0 ] || fail "MAX_SECONDS=$MAX_SECONDS have passed"
  timeout --kill-after=5 "$left" "$@" <&0 &
  tool_pid=$!
  wait "$tool_pid" || status=$?
  tool_pid=
  [ "$status" -ne 124 ] || fail "MAX_SECONDS=$MAX_SECONDS have passed"
  return "$status"
}

# Starts a server if one is to be started; waits until it is SERVING.
connect() {
  address=${SERVER:-127.0.0.1:50051}
  [ -z "$load_server_binary" ] || start_server
  export address

  # Without reflection: it is turned off in some deployments, and would cost
  # each process of grpcurl three more round trips.
  # An error is JSON, on stderr.
  grpcurl=(grpcurl -format-error -connect-timeout 5 -max-time 60
    -max-msg-sz 1073741824
    -protoset "$work/protoset")
  security=(-plaintext)
  [ -z "${CA_FILE:-}" ] || security=(-cacert "$CA_FILE")
  [ -z "${CERT_FILE:-}" ] || security+=(-cert "$CERT_FILE" -key "$KEY_FILE")
  if [ -n "${TOKEN_FILE:-}" ]; then
    # By the environment: a command line is for all to see.
    LOAD_TOKEN=$(sed -n '/^[^#]/{p;q}' "$TOKEN_FILE")
    export LOAD_TOKEN
    # shellcheck disable=SC2016  # grpcurl itself puts it in
    security+=(-expand-headers -H 'authorization: Bearer ${LOAD_TOKEN}')
  fi
  grpcurl+=("${security[@]}")
  printf '%s\0' "${grpcurl[@]}" >"$work/grpcurl"
  grpcurl -import-path "$repository/proto" -proto stridecast/v1/service.proto \
    -proto grpc/health/v1/health.proto -protoset-out "$work/protoset" \
    describe >/dev/null

  wait_for_health
  call "$service/GetServerInfo" <<<'{}' >"$work/server_info" ||
    fail "$address does not answer GetServerInfo"
}

# Its address is what it says in its log, as it may be told to listen at port 0.
start_server() {
  : >"$work/server.log"
  # shellcheck disable=SC2086  # flags, with spaces between
  "$load_server_binary" --listen 127.0.0.1:0 --metrics-listen off \
    --drain-delay-seconds 0 ${SERVER_FLAGS:-} 2>"$work/server.log" &
  server_pid=$!
  address=
  local end=$((SECONDS + WAIT_SECONDS))
  while [ -z "$address" ]; do
    kill -0 "$server_pid" 2>/dev/null ||
      { cat "$work/server.log" >&2; fail "the server ended at once"; }
    [ "$SECONDS" -lt "$end" ] || fail "the server does not say its address"
    sleep 0.05
    address=$(sed -n 's/.* serves \([^,;]*\)[,;].*/\1/p' "$work/server.log")
  done
}

wait_for_health() {
  local end=$((SECONDS + WAIT_SECONDS))
  until call grpc.health.v1.Health/Check <<<'{"service": "readiness"}' \
    >"$work/health" 2>"$work/health.error" && grep -q '"SERVING"' "$work/health"
  do
    if [ "$SECONDS" -ge "$end" ]; then
      cat "$work/health" "$work/health.error" >&2
      fail "$address is not SERVING within $WAIT_SECONDS s"
    fi
    sleep 0.1
  done
}

# METHOD: one call; the request comes on stdin, the answer goes to stdout.
call() { bounded "${grpcurl[@]}" -d @ "$address" "$1"; }

# NAME METHOD REQUEST ANSWER [WANTED]: one call whose time is taken, of the process
# as a whole; appends "NAME CODE START END", in us, to $work/calls. CODE is gRPC's
# status, 125 if grpcurl ended in another way, 126 if the answer is not the file
# WANTED. Also run by xargs, in processes of its own.
timed_call() {
  local command start end code=0
  readarray -d '' -t command <"$work/grpcurl"
  start=${EPOCHREALTIME/./}
  "${command[@]}" -d @ "$address" "$2" <"$3" >"$4" 2>"$4.error" || code=$?
  end=${EPOCHREALTIME/./}
  if [ "$code" -ge 64 ] && [ "$code" -le 80 ]; then
    code=$((code - 64))
  elif [ "$code" -ne 0 ]; then
    code=125
  elif [ -n "${5:-}" ]; then
    cmp -s "$4" "$5" || code=126
    rm -f "$4" "$4.error"
  fi
  echo "$1 $code $start $end" >>"$work/calls"
}
export -f timed_call

# CONCURRENCY FILE: a timed call for each line, which has timed_call's arguments;
# paths are those in $work.
timed_calls() {
  # shellcheck disable=SC2016  # that shell's own
  bounded env -C "$work" xargs -P "$1" -L 1 bash -c 'timed_call "$@"' timed_call <"$2"
}

# What is repeated: OPERATION, and the method that does it.
choose_operation() {
  export OPERATION=${OPERATION:-add}
  case $OPERATION in
    add) method=$service/Compute ;;
    relayout) method=$service/Relayout ;;
    *) bad_usage "OPERATION=$OPERATION: neither add nor relayout" ;;
  esac
}
# BYTES: $work/BYTES.{json,bin,frame,want}.
make_message() { python3 "$load/message.py" make "$OPERATION" "$1" "$work/$1"; }
# BYTES: calls with that message and looks at each value of the answer.
check_answer() {
  call "$method" <"$work/$1.json" >"$work/$1.answer" ||
    fail "$method of $1 bytes failed"
  python3 "$load/message.py" check "$work/$1" "$work/$1.answer" ||
    fail "$method of $1 bytes answers wrong values"
}

# Takes $work/results.json, {"results": [...], "summary": {...}}.
finish() {
  LOAD_NAME=$load_name LOAD_STARTED=$started_at LOAD_AVERAGE=$load_at_start \
    LOAD_SERVER_BINARY=$load_server_binary LOAD_REPOSITORY=$repository \
    python3 "$load/report.py" "$work" "$out/$load_name.json"
}
