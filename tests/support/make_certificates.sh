#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Makes NAME.pem and NAME.key in a folder: the authorities "ca" and "other", the
# "server" of 127.0.0.1 and tensors.example and the "client", both of "ca", and
# the "stranger" of "other", for two days, the stranger for one; "expired" has
# expired a day ago.
# Usage: make_certificates.sh FOLDER
set -euo pipefail
cd "$1"
exec 2>log

authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -keyout "$1.key" -out "$1.pem" -days 2 -subj "/CN=$1"
}

# NAME AUTHORITY DAYS ALTERNATIVE-NAMES
signed() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -keyout "$1.key" -out "$1.csr" -subj "/CN=$1"
  openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial \
    -out "$1.pem" -days "$3" -extfile <(echo "subjectAltName=$4")
}

authority ca
authority other
signed server ca 2 DNS:tensors.example,IP:127.0.0.1
signed expired ca -1 DNS:tensors.example,IP:127.0.0.1
signed client ca 2 DNS:client.example
signed stranger other 1 DNS:client.example,IP:127.0.0.1
