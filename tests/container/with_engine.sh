#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Runs a command with a Docker engine. Where `docker` reaches none, as root on
# Debian 12 an engine is started for the time of the command, from Debian's
# packages, with all its files in a directory that is removed afterwards. It has
# no registry: its debian:bookworm-slim is made by debootstrap, and its builds
# reach packages through this machine's network (BUILD_NETWORK).
# Usage: with_engine.sh COMMAND [ARGUMENT ...]
set -euo pipefail
fail() { echo "with_engine: $1" >&2; exit 1; }
engine_answers() { docker version >/dev/null 2>&1; }

engine_answers && exec "$@"
[ "$(id -u)" -eq 0 ] || fail "no Docker engine answers, and only root may start one"

declare -A packages=([dockerd]=docker.io [iptables]=iptables
  [debootstrap]=debootstrap [ip]=iproute2 [docker-compose]=docker-compose)
missing=()
for program in "${!packages[@]}"; do
  command -v "$program" >/dev/null || missing+=("${packages[$program]}")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "with_engine: installing ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >/dev/null
  # The package starts its engine where there is systemd.
  engine_answers && exec "$@"
fi

# Containers that share a bridge pass FORWARD where the kernel filters bridges.
! iptables -S FORWARD | grep -qx -- '-P FORWARD DROP' ||
  echo "with_engine: iptables' FORWARD drops, perhaps since an engine that ran" \
    "here: replicas will not reach one another (iptables -P FORWARD ACCEPT)" >&2

work=$(mktemp -d /var/tmp/stridecast-engine.XXXXXX)
bridge=scast$$
dockerd_pid=
cleanup() {
  status=$?
  trap '' INT TERM
  if [ -n "$dockerd_pid" ]; then
    docker ps --all --quiet | xargs --no-run-if-empty docker rm --force || true
    docker network prune --force || true
    kill "$dockerd_pid" || true
    for _ in $(seq 300); do
      kill -0 "$dockerd_pid" || break
      sleep 0.1
    done
    kill -KILL "$dockerd_pid" || true
  fi >/dev/null 2>&1
  ip link del "$bridge" 2>/dev/null || true
  awk -v work="$work/" 'index($2, work) == 1 { print $2 }' /proc/mounts |
    xargs --no-run-if-empty umount --lazy || true
  # Never descends into something that is still mounted.
  rm -rf --one-file-system "$work"
  exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# A bridge of its own and no rules of iptables: containers reach each other, and
# ports are published by docker-proxy. Nothing of this machine's network changes.
ip link add "$bridge" type bridge
ip address add 172.28.150.1/24 dev "$bridge"
export DOCKER_HOST=unix://$work/docker.sock
dockerd --host "$DOCKER_HOST" --data-root "$work/data" --exec-root "$work/exec" \
  --pidfile "$work/pid" --bridge "$bridge" --iptables=false --ip-forward=false \
  >"$work/log" 2>&1 &
dockerd_pid=$!
for _ in $(seq 300); do
  engine_answers && break
  kill -0 "$dockerd_pid" 2>/dev/null || break
  sleep 0.1
done
engine_answers || { tail -n 20 "$work/log" >&2; fail "dockerd did not start"; }

echo "with_engine: an engine in $work; making debian:bookworm-slim"
# The mirror, and the way to it, are whatever this machine uses.
# shellcheck disable=SC2016  # apt's, not the shell's
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' |
  head -n 1)
debootstrap --variant=minbase bookworm "$work/base" ${mirror:+"$mirror"} \
  >"$work/log.debootstrap" 2>&1 ||
  { tail -n 20 "$work/log.debootstrap" >&2; fail "debootstrap"; }
cp /etc/apt/apt.conf.d/*registry* "$work/base/etc/apt/apt.conf.d/" 2>/dev/null || true
tar -C "$work/base" -c . | docker import - debian:bookworm-slim >/dev/null
rm -rf --one-file-system "$work/base"

BUILD_NETWORK=host "$@"
