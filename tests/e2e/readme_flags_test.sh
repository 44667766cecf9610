#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Flags that operators read about are flags of the server, and each of its limits
# is in the README's table with the default that the server has.
# Usage: readme_flags_test.sh REPOSITORY SERVER
set -euo pipefail
repository=$1 server=$2
failures=0
flaw() { echo "FAILED: $*"; failures=$((failures + 1)); }

known=$("$server" --help | grep -o -- '^  --[a-z-]*' | tr -d ' ')
limits=$("$server" --help | sed -n '/^Limits:/,/^Times:/p' |
  grep -o -- '^  --[a-z-]*' | tr -d ' ')
guide=$(sed -n '/^## Operating it/,/^## Libraries/p' "$repository/README.md")
[ -n "$known" ] && [ -n "$limits" ] && [ -n "$guide" ] || flaw "nothing to look at"

for flag in $({ echo "$guide"; cat "$repository/server/README.md"; } |
  grep -o -- '`--[a-z-]*' | tr -d '`' | sort -u); do
  grep -qx -- "$flag" <<<"$known" || flaw "the server has no $flag"
done
for flag in $limits; do
  # Tuned by who measures, in server/README.md.
  [ "$flag" != --plan-cache-entries ] || continue
  grep -q -- "| .*\`$flag\`.* |$" <<<"$guide" || flaw "no limit $flag in README.md"
done

# ROW FLAG VALUE: what the table says, and what the server then has.
default() {
  grep -q -- "^| .* | $1 | .*\`$2\`" <<<"$guide" ||
    flaw "README.md does not give $2 as $1"
  "$server" --print-config | grep -qx -- "${2#--}=$3" ||
    flaw "$2 is not $3, the README's $1"
}
default '64 MiB' --max-message-bytes 67108864
default '1 GiB' --max-result-bytes 1073741824
default '256, 64, 64' --max-instructions 256
default '4096, 128' --max-inflight-calls 4096
default '4096, 128' --max-concurrent-streams 128
default '1000, .*, 20 s' --max-connections 0
default '64' --max-grpc-threads 64
default '900 s; 60 + 20 s' --max-connection-idle-seconds 900
default '900 s; 60 + 20 s' --keepalive-seconds 60
default '60 s' --stream-idle-seconds 60
default '300 s.*' --default-deadline-seconds 300
[ "$failures" -eq 0 ] || exit 1
echo "passed"
