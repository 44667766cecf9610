#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# deploy/nginx/nginx.conf at work: three servers behind it on loopback, calls
# that no replica's end disturbs, and gRPC's own answers when none is left.
# Usage: nginx_test.sh NGINX [SERVER TOOL]
# Without SERVER and TOOL only the answers of nginx itself are looked at.
set -euo pipefail
nginx=$1
server=${2:-}
here=$(realpath "$(dirname "$0")")
proxy=nginx
tool=("${3:-}")
authority=()
# shellcheck source=deploy/validation/proxy_testing.sh
source "$here/proxy_testing.sh"
choose_ports 4
address=127.0.0.1:${ports[0]}

# The file as it is, but for what this machine lacks: the replicas' names, the
# container's /tmp and output.
sed -e "s/stridecast-1:50051/127.0.0.1:${ports[1]}/" \
    -e "s/stridecast-2:50051/127.0.0.1:${ports[2]}/" \
    -e "s/stridecast-3:50051/127.0.0.1:${ports[3]}/" \
    -e "s/listen 50051/listen $address/" \
    -e "s#/tmp/#$work/#; s#/dev/stdout#$work/calls#" \
    "$here/../nginx/nginx.conf" >"$work/nginx.conf"
"$nginx" -e stderr -t -q -c "$work/nginx.conf" 2>"$work/check.log" || fail "nginx -t"

[ -z "$server" ] || start_replicas "$server"
"$nginx" -e stderr -c "$work/nginx.conf" -g 'daemon off;' 2>"$work/nginx.log" &
pids[nginx]=$!
wait_until answers --http2-prior-knowledge "http://$address/"

if [ -n "$server" ]; then
  export STRIDECAST_SERVER=$address
  check_calls
  check_metadata
  check_attacks
  check_calls
  check_ends
fi

check_own_answers "http://$address" --http2-prior-knowledge
echo "nginx_test: passed${server:+, with three servers}"
