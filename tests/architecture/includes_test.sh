#!/bin/sh
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# The dependency table of README.md, read off the #include lines: a folder
# includes only what its row allows. Usage: includes_test.sh REPOSITORY
set -u
cd "$1" || exit 2
failures=0
checked=0

# allow FOLDER REGEX...: every include of a file of FOLDER that names a part of
# the project or one of its libraries matches one of the expressions.
allow() {
  folder=$1
  shift
  allowed=$(printf '|%s' "$@")
  found=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' "$folder" --include='*.h' \
    --include='*.cc' --include='*.inc' |
    grep -E '["<](core/|proto/|server/|client/|stridecast/|grpc|google/|oneapi/|tbb/|hwy/|spdlog/|CLI/|nlohmann/|sleef|[a-z0-9]*intrin\.h)')
  checked=$((checked + $(printf '%s' "$found" | grep -c .)))
  bad=$(printf '%s\n' "$found" | grep . |
    grep -vE "[\"<](${allowed#|})" || true)
  if [ -n "$bad" ]; then
    echo "$folder may include only: $*"
    echo "$bad"
    failures=$((failures + 1))
  fi
}

vocabulary='stridecast/(dtype|float16|layout|operation|request|return_if_error|segments|shape|status_macros|tensor)\.h'
operations='stridecast/operations\.inc'
messages='stridecast/v1/|google/|grpc'

allow core/include "$vocabulary" "$operations"
allow core/tensor "$vocabulary" "$operations" core/tensor/
allow core/program "$vocabulary" core/tensor/ core/program/
allow core/plan "$vocabulary" core/tensor/ core/program/ core/plan/
allow core/kernels "$vocabulary" "$operations" core/kernels/ hwy/ '[a-z]*intrin\.h'
allow core/exec "$vocabulary" core/plan/ core/kernels/ core/exec/ \
  oneapi/tbb/ xmmintrin\\.h
allow core/engine "$vocabulary" core/tensor/ core/program/ core/plan/ \
  core/kernels/ core/exec/ core/engine/
allow proto/wire "$vocabulary" proto/wire/ "$messages"
allow client "$vocabulary" 'stridecast/[a-z_]+\.(h|inc)' \
  core/program/infer\\.h client/ proto/wire/ "$messages" CLI/ nlohmann/
# What is installed names nothing that is not.
allow client/include 'stridecast/[a-z0-9_]+\.(h|inc)' grpc
allow server "$vocabulary" server/ proto/wire/ core/engine/engine.h \
  core/exec/buffer_pool.h core/exec/cpus.h "$messages" spdlog/ CLI/ nlohmann/ openssl/ prometheus/ httplib.h

# Stricter still: the library that callers link must not need the tool's.
bad=$(grep -nE '["<](CLI/|nlohmann/|png)' client/*.h client/*.cc \
  client/expression/* client/include/stridecast/*.h || true)
if [ -n "$bad" ]; then
  echo "the client library needs gRPC, protobuf and Abseil alone"
  echo "$bad"
  failures=$((failures + 1))
fi

# DLPack is for those alone who include our header of that name.
bad=$(grep -nE '["<](dlpack/|stridecast/dlpack\.h)' client/*.h \
  client/include/stridecast/*.h core/include/stridecast/*.h |
  grep -v '^client/include/stridecast/dlpack\.h:.*<dlpack/' || true)
if [ -n "$bad" ]; then
  echo "installed headers must not need DLPack"
  echo "$bad"
  failures=$((failures + 1))
fi

# Short macros are this project's own.
bad=$(grep -n 'stridecast/status_macros\.h' client/include/stridecast/* \
  core/include/stridecast/* || true)
if [ -n "$bad" ]; then
  echo "installed headers must not include what is not"
  echo "$bad"
  failures=$((failures + 1))
fi

if [ "$checked" -lt 100 ]; then
  echo "only $checked includes found: the test looks in the wrong place"
  exit 1
fi
echo "$checked includes checked, $failures folders at fault"
[ "$failures" -eq 0 ]
