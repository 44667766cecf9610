#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# deploy/compose.yaml at work: three replicas of stridecast:0.1.0 behind nginx,
# one after the other replaced under load with the commands of deploy/README.md;
# the client that balances itself; Prometheus, which sees all three. nginx and
# Prometheus are Debian's, so that no registry of images is needed.
# Needs a Docker engine and docker-compose; ports 50051 and 9090 of loopback.
# Usage: compose_test.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
export COMPOSE_PROJECT_NAME=stridecast-test-$$
export NGINX_IMAGE=stridecast-test-nginx PROMETHEUS_IMAGE=stridecast-test-prometheus
fail() { echo "compose_test: $1" >&2; exit 1; }
passed() { echo "  $1"; }

work=$(mktemp -d)
load=
cleanup() {
  status=$?
  touch "$work/ended"
  [ -z "$load" ] || wait "$load" || true
  [ $status -eq 0 ] || compose logs --tail 20 >&2 || true
  compose down --volumes --timeout 20 >"$work/down" 2>&1 || cat "$work/down" >&2
  rm -rf "$work"
  exit $status
}
trap cleanup EXIT
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$*"; }; }

# The file as it is, but for limits of open files that this machine does not have.
most=$(ulimit -Hn)
docker_compose=$(command -v docker-compose) || fail "docker-compose is missing"
mkdir "$work/bin"
export PATH="$work/bin:$PATH"
{
  echo "services:"
  for name in stridecast-1 stridecast-2 stridecast-3 nginx; do
    echo "  $name: {ulimits: {nofile: {soft: $most, hard: $most}}}"
  done
} >"$work/fewer_files.yaml"
compose() { docker-compose -f deploy/compose.yaml "$@"; }
if [ "$most" != unlimited ] && [ "$most" -lt 65536 ]; then
  passed "with $most open files, this machine's limit, in place of 65536"
  cat >"$work/bin/docker-compose" <<SCRIPT
#!/bin/bash
exec $docker_compose -f deploy/compose.yaml -f $work/fewer_files.yaml "\${@:3}"
SCRIPT
  chmod +x "$work/bin/docker-compose"
fi

# NAME: an image of a package; the lines of its Dockerfile that follow.
packaged() {
  {
    echo "FROM debian:bookworm-slim"
    echo "RUN apt-get update && apt-get install -y --no-install-recommends $1"
    cat
  } >"$work/Dockerfile"
  quietly docker build -t "stridecast-test-$1" \
    --network "${BUILD_NETWORK:-default}" - <"$work/Dockerfile"
}
packaged nginx </dev/null
packaged prometheus <<'DOCKERFILE'
RUN mkdir /prometheus && chown nobody:nogroup /prometheus
USER nobody
VOLUME /prometheus
ENTRYPOINT ["/usr/bin/prometheus"]
DOCKERFILE
passed "images of nginx and Prometheus"

tool() {
  docker run --rm --network host --read-only --entrypoint stridecast \
    --env STRIDECAST_SERVER=127.0.0.1:50051 stridecast:0.1.0 "$@"
}
# nginx starts when all replicas are healthy.
quietly compose up -d
for _ in $(seq 60); do
  tool health --service readiness >"$work/health" 2>&1 && break
  sleep 0.1
done
grep -q SERVING "$work/health" || fail "through nginx: $(cat "$work/health")"
answer=$(tool eval x+1 x=1,2)
[[ $answer == *'"values":[2.0,3.0]'* ]] || fail "through nginx: $answer"
passed "three healthy replicas answer through nginx"

load_until_ended() {
  while [ ! -e "$work/ended" ]; do
    tool bench --size 64kb --concurrency 4 --duration 2 || return
  done
}
load_until_ended >"$work/load" 2>&1 &
load=$!
first=$(compose ps -q)
tests/e2e/readme_block.sh deploy/README.md "Three replicas on one machine" sh 2 |
  quietly timeout 300 bash -euo pipefail
touch "$work/ended"
wait "$load" || { cat "$work/load" >&2; fail "calls failed during the replacement"; }
load=
replaced=$(comm -13 <(sort <<<"$first") <(compose ps -q | sort) | wc -l)
[ "$replaced" -eq 3 ] || fail "$replaced replicas were replaced"
passed "each was replaced, none of $(grep -o '"calls":[0-9]*' "$work/load" |
  awk -F : '{ sum += $2 } END { print sum }') calls failed"

served() { compose logs --no-color "$1" | grep -c '"method":"Compute"' || true; }
declare -A before
for n in 1 2 3; do before[$n]=$(served stridecast-$n); done
quietly compose run --rm round-robin
for n in 1 2 3; do
  [ "$(served stridecast-$n)" -gt "${before[$n]}" ] ||
    fail "round robin: stridecast-$n has got no call"
done
passed "round robin without nginx: each replica has got calls"

python3 - <<'PYTHON' || fail "Prometheus does not see three replicas"
import json, sys, time, urllib.parse, urllib.request

query = urllib.parse.quote('up{job="stridecast"}')
for _ in range(60):
    with urllib.request.urlopen(
            f"http://127.0.0.1:9090/api/v1/query?query={query}", timeout=5) as reply:
        up = {row["metric"]["instance"]: row["value"][1]
              for row in json.load(reply)["data"]["result"]}
    if up == {f"stridecast-{n}:9464": "1" for n in (1, 2, 3)}:
        sys.exit(0)
    time.sleep(1)
sys.exit(str(up))
PYTHON
passed "Prometheus sees three replicas"
