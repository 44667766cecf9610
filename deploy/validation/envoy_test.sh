#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# deploy/envoy/envoy.yaml at work: three servers behind it on loopback, calls
# over TLS that no replica's end disturbs, attacks that end at the proxy, and
# gRPC's own answers when no replica is left.
# Usage: envoy_test.sh ENVOY [SERVER TOOL]
# Without SERVER and TOOL only the answers of Envoy itself are looked at.
set -euo pipefail
envoy=$1
server=${2:-}
here=$(realpath "$(dirname "$0")")
proxy=envoy
# shellcheck source=deploy/validation/proxy_testing.sh
source "$here/proxy_testing.sh"
authority=("$work/ca.pem")
tool=("${3:-}" --tls-ca "${authority[0]}")
"$here/../../tests/support/make_certificates.sh" "$work"
choose_ports 5
address=127.0.0.1:${ports[0]}

# The file as it is, but for what this machine lacks: the replicas' name, which
# has an address for each, and the certificate's place.
python3 - "$here/../envoy/envoy.yaml" "$work" "${ports[@]}" >"$work/envoy.yaml" <<'PYTHON'
import re, sys
name, work, port, *replicas, admin = sys.argv[1:]
text = open(name).read()
def replace(old, new):
    global text
    assert re.search(old, text), old
    text = re.sub(old, new, text)
replace("port_value: 9901", f"port_value: {admin}")
replace("address: 0.0.0.0, port_value: 50051",
        f"address: 127.0.0.1, port_value: {port}")
replace("/etc/envoy/tls/tls.crt", f"{work}/server.pem")
replace("/etc/envoy/tls/tls.key", f"{work}/server.key")
endpoint = re.search(r"( *- endpoint:\n(.*\n)?.*\n.*stridecast-headless.*\n)", text)[0]
replace(re.escape(endpoint), "".join(
    endpoint.replace("stridecast-headless, port_value: 50051",
                     f"127.0.0.1, port_value: {replica}")
    for replica in replicas))
print(text, end="")
PYTHON
"$envoy" --mode validate --log-level error -c "$work/envoy.yaml" \
  >"$work/check.log" 2>&1 || fail "envoy --mode validate"

[ -z "$server" ] || start_replicas "$server"
"$envoy" -c "$work/envoy.yaml" --use-dynamic-base-id --concurrency 2 \
  --log-level error --file-flush-interval-msec 100 \
  >"$work/calls" 2>"$work/envoy.log" &
pids[envoy]=$!
wait_until answers --cacert "$work/ca.pem" "https://$address/"

if [ -n "$server" ]; then
  export STRIDECAST_SERVER=$address
  check_calls
  check_metadata refused
  check_attacks
  check_calls
  check_ends
fi

check_own_answers "https://$address" --cacert "$work/ca.pem"
echo "envoy_test: passed${server:+, with three servers}"
