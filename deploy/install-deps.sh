#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian 12 packages that building and testing stridecast needs,
# and those named as arguments.
# Safe to run again: what is there is left alone. Root is needed because apt
# writes to the system's directories; nothing else here or in the build is.
set -euo pipefail

packages=(
  g++ cmake ninja-build binutils          # the tool chain
  libgrpc++-dev protobuf-compiler-grpc    # gRPC
  libprotobuf-dev protobuf-compiler       # Protocol Buffers
  libabsl-dev                             # status, strings, containers
  libtbb-dev                              # threads
  libhwy-dev                              # SIMD with run-time dispatch
  libsleef-dev                            # vector mathematics
  libspdlog-dev                           # the server's log
  prometheus-cpp-dev libcpp-httplib-dev   # the server's metrics
  libdlpack-dev                           # tensors from and to other libraries
  libcli11-dev nlohmann-json3-dev         # flags, JSON output of the tool
  libpng-dev                              # pictures that the tool reads
  libgtest-dev libgmock-dev libmpfr-dev   # tests
  libssl-dev                              # the server's certificates, tokens
  openssl                                 # certificates of tests
  pkg-config                              # a test of the installed package
)

packages+=("$@")
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
    grep -q '^install ok installed$' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "install-deps: all ${#packages[@]} packages are installed"
  exit 0
fi

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "install-deps: run as root, or install sudo; missing:" \
      "${missing[*]}" >&2
    exit 1
  }
  sudo=(sudo)
fi
echo "install-deps: installing, as root because apt writes to the system's" \
  "directories: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! {
  "${sudo[@]}" apt-get update &&
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends "${missing[@]}"
} >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "install-deps: apt-get failed, see above" >&2
  exit 1
fi
echo "install-deps: done"
