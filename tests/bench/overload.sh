#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Builds and runs stridecast_overload: the server in a control group with so
# much memory (STRIDECAST_MEMORY, 512M) on one CPU, the load on another. Needs
# root, and a machine that does nothing else.
#   tests/bench/overload.sh [flags of stridecast_overload]
# STRIDECAST_BUILD_DIR says where (build/release).
set -euo pipefail
cd "$(dirname "$0")/../.."
memory=$(numfmt --from=iec "${STRIDECAST_MEMORY:-512M}")
build=${STRIDECAST_BUILD_DIR:-build/release}
[ -f "$build/build.ninja" ] || cmake --preset release -B "$build" >/dev/null
cmake --build "$build" --target stridecast-server stridecast_overload >&2

# The first of the CPUs that this shell may use serves, the second asks.
mapfile -t cpus < <(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
  while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done)
[ "${#cpus[@]}" -ge 2 ] || { echo "needs two CPUs" >&2; exit 1; }

root=/sys/fs/cgroup
if [ -e "$root/cgroup.controllers" ]; then
  limit=memory.max
else
  root=$root/memory
  limit=memory.limit_in_bytes
fi
group=$root/stridecast-overload-$$
mkdir "$group"
trap 'rmdir "$group"' EXIT
echo "$memory" >"$group/$limit"

lscpu | sed -n 's/^Model name: */machine: /p'
echo "load average before: $(cut -d' ' -f1-3 /proc/loadavg)"
taskset -c "${cpus[1]}" "$build/tests/bench/stridecast_overload" \
  "$build/server/stridecast-server" --group="$group" \
  --server-cpu="${cpus[0]}" "$@"
