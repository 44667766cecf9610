#!/bin/sh
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Makes the package stridecastpb out of proto/stridecast/v1, with generators of
# the versions in go.mod. Run by `go generate`, in this directory. Needs protoc.
set -eu
proto=${STRIDECAST_PROTO:-../../../proto}
module=$(go list -m)

mkdir -p .tools
go build -o .tools/ google.golang.org/protobuf/cmd/protoc-gen-go \
  google.golang.org/grpc/cmd/protoc-gen-go-grpc
# The .proto files know nothing of Go: their package is said here.
set --
for name in tensor program service; do
  file=stridecast/v1/$name.proto
  set -- "$@" "--go_opt=M$file=$module/stridecastpb" \
    "--go-grpc_opt=M$file=$module/stridecastpb"
done
PATH=$PWD/.tools:$PATH protoc -I "$proto" "$@" \
  --go_out=. --go_opt="module=$module" \
  --go-grpc_out=. --go-grpc_opt="module=$module" \
  stridecast/v1/tensor.proto stridecast/v1/program.proto \
  stridecast/v1/service.proto
