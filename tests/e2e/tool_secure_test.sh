#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# The tool to a server that has TLS, asks for certificates and tokens: each
# command gets there, and what is missing or wrong is said with the flag to use.
# Usage: tool_secure_test.sh SERVER TOOL
# Exits with 77 (skipped) where openssl is missing.
set -euo pipefail
if ! command -v openssl >/dev/null; then
  echo "SKIPPED: openssl is missing"
  exit 77
fi
server=$1
# shellcheck source=tests/e2e/tool_testing.sh
source "$(dirname "$0")/tool_testing.sh"
bash "$(dirname "$0")/../support/make_certificates.sh" .
printf '# of the tests\n\n secret \nother\n' >tokens
echo 'nonsense' >nonsense
echo '# none' >none
plain=$STRIDECAST_SERVER

pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true' EXIT
# shellcheck source=tests/e2e/start_server.sh
source "$(dirname "$0")/start_server.sh"
start_server server.log "$server" --listen "127.0.0.1:0,unix:$PWD/s.sock" \
  --metrics-listen off --tls-certificate server.pem \
  --tls-private-key server.key --tls-client-ca ca.pem --token-file tokens \
  --drain-delay-seconds 0
export STRIDECAST_SERVER=$address
own=(--tls-certificate client.pem --tls-private-key client.key)
full=(--tls-ca ca.pem "${own[@]}" --token-file tokens)

prints '{"status":"SERVING"}' health --tls-ca ca.pem "${own[@]}"
prints '"simd_target"' info "${full[@]}"
prints '"values":[1.0,2.0]' relayout 1,2 "${full[@]}"
prints '"values":[2.0,3.0]' eval x+1 x=1,2 "${full[@]}"
prints '"text":"1 pass' explain x+1 x=1,2 "${full[@]}"
prints '"calls":4,' bench --count 4 --warm-up 0 --connections 2 --size 4kb \
  "${full[@]}"
prints '"values":[1.0,2.0]' relayout 1,2 --token-file tokens \
  --server "unix:$PWD/s.sock"
prints '"SERVING"' health --tls-ca ca.pem "${own[@]}" \
  --tls-server-name tensors.example

refuses 1 'needs "Bearer TOKEN"; --token-file FILE says whose' \
  relayout 1,2 --tls-ca ca.pem "${own[@]}"
refuses 1 'certificate verify failed; --tls-ca FILE says whom to trust' \
  health --tls "${own[@]}"
refuses 1 'certificate verify failed; --tls-ca FILE says whom to trust' \
  health --tls-ca other.pem "${own[@]}"
refuses 1 'peer certificate; --tls-server-name NAME says' \
  health --tls-ca ca.pem "${own[@]}" --tls-server-name elsewhere.example
refuses 1 'certificate? --tls-certificate and --tls-private-key have it' \
  health --tls-ca ca.pem
refuses 1 'trust who signed that of --tls-certificate?' health --tls-ca ca.pem \
  --tls-certificate stranger.pem --tls-private-key stranger.key
refuses 1 'has the server TLS at all?' health --tls --server "$plain"
refuses 1 'or one with TLS (--tls)?' health
refuses 2 'read it; needs TLS or a Unix socket' info --token-file tokens
refuses 2 '--token-file: has spaces' info --tls --token-file server.log
refuses 1 'none: has no token' info --tls --token-file none
refuses 1 'nowhere: No such file' info --tls --token-file nowhere
refuses 1 'nonsense: holds no PEM CERTIFICATE' info --tls-ca nonsense
refuses 1 'server.key: holds no PEM CERTIFICATE' info --tls-ca server.key
refuses 1 'client.pem: holds no PEM PRIVATE KEY' info \
  --tls-certificate client.pem --tls-private-key client.pem
refuses 2 'go together' info --tls-certificate client.pem
head -c 100 ca.pem >cut.pem
tail -n 1 ca.pem >>cut.pem
refuses 1 'or the files of --tls-... do not fit together' info --tls-ca cut.pem
refuses 1 'UNAVAILABLE' info --tls-ca ca.pem --server "$plain"

kill "$pid"
wait "$pid" || fail "the server exits with $?"
pid=
report
