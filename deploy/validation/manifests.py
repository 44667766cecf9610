#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Holds the files of deploy/ against one another: what no schema can say.

  manifests.py [--server FILE] KUBERNETES...   (as kustomize built them)

Limits fit into each other, selectors find what they are for, probes ask what is
served, names and addresses agree between compose, nginx and Prometheus. With a
stridecast-server, each flag is one of its --help, and it accepts the values.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

DEPLOY = pathlib.Path(__file__).resolve().parent.parent

# Defaults of stridecast-server that the checks need. With --server they are
# held against its --help.
DEFAULTS = {
    "max-message-bytes": "64MiB",
    "max-result-bytes": "1GiB",
    "default-deadline-seconds": "300",
    "drain-delay-seconds": "5",
    "drain-deadline-seconds": "30",
    "max-concurrent-streams": "128",
}

# Between the end of a drain and SIGKILL.
GRACE_MARGIN_SECONDS = 10

errors = []


def expect(holds, text):
    if not holds:
        errors.append(text)


def size_bytes(text):
    number, unit = re.fullmatch(r"(\d+)([A-Za-z]*)", str(text)).groups()
    units = {"": 0, "k": 1, "m": 2, "g": 3, "Ki": 1, "Mi": 2, "Gi": 3,
             "KiB": 1, "MiB": 2, "GiB": 3}
    return int(number) << (10 * units[unit])


class Flags:
    """Flags of one server: `given` alone, or with defaults by []."""

    def __init__(self, lines):
        self.given = {}
        for line in lines:
            name, _, value = line.removeprefix("--").partition("=")
            self.given[name.strip()] = value.strip() or "true"

    def __getitem__(self, name):
        return self.given.get(name, DEFAULTS.get(name))

    def file_lines(self):
        return "".join(f"{name}={value}\n" for name, value in self.given.items())


def flag_file(text):
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def check_flags(where, flags, memory_bytes, grace_seconds):
    """What the server's flags, its container and each other have to allow."""
    drain = int(flags["drain-delay-seconds"]) + int(flags["drain-deadline-seconds"])
    expect(grace_seconds >= drain + GRACE_MARGIN_SECONDS,
           f"{where}: {grace_seconds} s until SIGKILL, a drain takes {drain} s "
           f"and {GRACE_MARGIN_SECONDS} s of margin")
    budget = (size_bytes(flags["max-inflight-bytes"])
              if flags["max-inflight-bytes"] not in (None, "0")
              else memory_bytes // 8 * 3)
    call = size_bytes(flags["max-message-bytes"]) + size_bytes(flags["max-result-bytes"])
    expect(call <= budget,
           f"{where}: the greatest call takes {call} bytes, the budget is {budget}")
    expect(budget < memory_bytes, f"{where}: the budget exceeds the memory limit")
    tls = "tls-certificate" in flags.given
    expect(tls == ("tls-private-key" in flags.given),
           f"{where}: a certificate goes with a key")
    expect(tls != ("allow-plaintext" in flags.given),
           f"{where}: TLS or allow-plaintext, one of them")
    expect(tls or not {"token-file", "tls-client-ca"} & set(flags.given),
           f"{where}: tokens and client certificates need TLS")
    if "max-connection-age-seconds" in flags.given:
        grace = flags.given.get("max-connection-age-grace-seconds", "3600")
        expect(int(grace) >= int(flags["default-deadline-seconds"]),
               f"{where}: a connection's age ends calls before their deadline")


# --- Kubernetes --------------------------------------------------------------


def selects(selector, labels, where):
    expect(selector, f"{where}: an empty selector selects everything")
    return selector and selector.items() <= labels.items()


def of_kind(documents, kind):
    return [item for item in documents if item["kind"] == kind]


def check_pod(where, pod):
    container = pod["containers"][0]
    expect(len(pod["containers"]) == 1, f"{where}: one container is expected")
    expect(pod.get("enableServiceLinks") is False, f"{where}: enableServiceLinks")
    expect(pod.get("automountServiceAccountToken") is False,
           f"{where}: automountServiceAccountToken")
    # What the "restricted" pod security standard asks, and a numeric user.
    security = pod["securityContext"]
    expect(security["runAsNonRoot"] is True and security["runAsUser"] == 10001
           and security["runAsGroup"] == 10001, f"{where}: user and group 10001")
    expect(security["seccompProfile"] == {"type": "RuntimeDefault"}, f"{where}: seccomp")
    expect(container["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]}}, f"{where}: container's securityContext")
    resources = container["resources"]
    expect(resources["limits"] == resources["requests"], f"{where}: limits = requests")
    expect(str(resources["limits"]["cpu"]).isdigit(), f"{where}: whole CPUs")
    return container


def check_probes(where, container, uses_tls):
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    asked = {"startupProbe": ("liveness", "/livez"),
             "livenessProbe": ("liveness", "/livez"),
             "readinessProbe": ("readiness", "/readyz")}
    for name, (service, path) in asked.items():
        probe = container[name]
        if uses_tls:
            http = probe.get("httpGet", {})
            expect("grpc" not in probe, f"{where}: {name}: gRPC probes speak no TLS")
            expect(http == {"path": path, "port": "metrics"}, f"{where}: {name}: {http}")
        else:
            grpc = probe.get("grpc", {})
            expect(grpc == {"port": ports["grpc"], "service": service},
                   f"{where}: {name}: {grpc}")
    return ports


def check_mounts(where, pod, container, documents, flags):
    """Each file that a flag names lies in a volume; returns the flag file's lines."""
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    mounts = {mount["mountPath"]: volumes[mount["name"]]
              for mount in container["volumeMounts"]}
    expect(all(mount["readOnly"] for mount in container["volumeMounts"]),
           f"{where}: a mount is not readOnly")
    lines = []
    for name, value in list(flags.given.items()):
        if not value.startswith("/"):
            continue
        folder, _, key = value.rpartition("/")
        volume = mounts.get(folder)
        expect(volume, f"{where}: --{name}={value} is in no volume")
        if volume and "configMap" in volume:
            maps = {item["metadata"]["name"]: item["data"]
                    for item in of_kind(documents, "ConfigMap")}
            text = maps.get(volume["configMap"]["name"], {}).get(key)
            expect(text, f"{where}: --{name}={value}: no such key")
            lines += flag_file(text or "")
    return lines


def check_kubernetes(path):
    documents = [item for item in yaml.safe_load_all(path.read_text()) if item]
    where = path.name
    (deployment,) = of_kind(documents, "Deployment")
    template = deployment["spec"]["template"]
    pod, labels = template["spec"], template["metadata"]["labels"]
    expect("replicas" not in deployment["spec"], f"{where}: replicas are the autoscaler's")
    container = check_pod(where, pod)

    flags = Flags(container["args"])
    flags = Flags(check_mounts(where, pod, container, documents, flags)
                  + container["args"])
    check_mounts(where, pod, container, documents, flags)
    memory = size_bytes(container["resources"]["limits"]["memory"])
    check_flags(where, flags, memory, pod["terminationGracePeriodSeconds"])
    expect(flags["reflection"] == "off", f"{where}: reflection is not off")
    ports = check_probes(where, container, "tls-certificate" in flags.given)
    expect(flags["listen"] == f"0.0.0.0:{ports['grpc']}", f"{where}: --listen")
    expect(flags["metrics-listen"] == f"0.0.0.0:{ports['metrics']}",
           f"{where}: --metrics-listen")

    selectors = [("Deployment", deployment["spec"]["selector"]["matchLabels"])]
    for constraint in pod["topologySpreadConstraints"]:
        selectors.append(("spread", constraint["labelSelector"]["matchLabels"]))
    for kind, field in (("PodDisruptionBudget", "selector"),
                        ("NetworkPolicy", "podSelector")):
        (item,) = of_kind(documents, kind)
        selectors.append((kind, item["spec"][field].get("matchLabels")))
    services = of_kind(documents, "Service")
    for service in services:
        selectors.append((service["metadata"]["name"], service["spec"]["selector"]))
        for port in service["spec"]["ports"]:
            expect(port["targetPort"] in ports, f"{where}: targetPort {port}")
    for name, selector in selectors:
        expect(selects(selector, labels, f"{where}: {name}"),
               f"{where}: {name}: {selector} does not select the replicas")

    (policy,) = of_kind(documents, "NetworkPolicy")
    for rule in policy["spec"]["ingress"]:
        expect(all(port["port"] in ports for port in rule["ports"]),
               f"{where}: NetworkPolicy: ports {rule['ports']}")
        for peer in rule["from"]:
            peers = peer.get("podSelector", {}).get("matchLabels", {})
            expect(not peers.keys() & labels.keys(),
                   f"{where}: NetworkPolicy: only replicas may call: {peers}")
    expect(policy["spec"]["egress"] == [], f"{where}: NetworkPolicy: egress")

    (monitor,) = of_kind(documents, "ServiceMonitor")
    watched = [service for service in services
               if selects(monitor["spec"]["selector"]["matchLabels"],
                          service["metadata"]["labels"], f"{where}: ServiceMonitor")]
    expect(len(watched) == 1, f"{where}: ServiceMonitor: {len(watched)} services")
    for endpoint in monitor["spec"]["endpoints"]:
        expect(any(port["name"] == endpoint["port"]
                   for service in watched for port in service["spec"]["ports"]),
               f"{where}: ServiceMonitor: no port {endpoint['port']}")
    job = monitor["spec"]["jobLabel"]
    expect(all(service["metadata"]["labels"].get(job) == "stridecast"
               for service in watched), f"{where}: ServiceMonitor: the job's name")

    (scaler,) = of_kind(documents, "HorizontalPodAutoscaler")
    expect(scaler["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"],
           f"{where}: the autoscaler's target")
    metrics = set(re.findall(r"^\w+", (DEPLOY / "prometheus/metrics.txt").read_text(), re.M))
    for metric in scaler["spec"]["metrics"]:
        if metric["type"] == "Pods":
            name = metric["pods"]["metric"]["name"]
            expect(name in metrics, f"{where}: the autoscaler's metric {name} is none")
    return container["image"], [(where, flags)]


# --- compose, nginx, Prometheus ----------------------------------------------


def check_compose():
    text = (DEPLOY / "compose.yaml").read_text()
    # What a variable has when it is not set.
    text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)
    services = yaml.safe_load(text)["services"]
    nginx_text = (DEPLOY / "nginx/nginx.conf").read_text()
    targets = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())
    (scrape,) = targets["scrape_configs"]
    images, addresses, found = set(), {}, []
    for name, service in services.items():
        where = f"compose.yaml: {name}"
        for field, want in (("read_only", True), ("cap_drop", ["ALL"]),
                            ("security_opt", ["no-new-privileges:true"])):
            expect(service.get(field) == want, f"{where}: {field} is not {want}")
        expect("mem_limit" in service and "cpus" in service, f"{where}: no limits")
        for port in service.get("ports", []):
            expect(port.startswith("127.0.0.1:"), f"{where}: {port} is open to all")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            expect(not source.startswith(".") or (DEPLOY / source).is_file(),
                   f"{where}: {source} is no file")
        if service["image"].startswith("stridecast"):
            images.add(service["image"])
        if not name.startswith("stridecast-"):
            continue
        flags = Flags(service["command"])
        check_flags(where, flags, size_bytes(service["mem_limit"]),
                    int(service["stop_grace_period"].removesuffix("s")))
        files = service["ulimits"]["nofile"]["soft"]
        expect(files > 2 * int(flags["max-connections"]), f"{where}: nofile")
        found.append((where, flags))
        network = service["networks"]["replicas"]
        addresses[name] = network["ipv4_address"]
        expect(network["aliases"] == ["stridecast"], f"{where}: aliases")
    hosts = dict(line.split(":") for line in services["nginx"]["extra_hosts"])
    expect(hosts == addresses, f"compose.yaml: nginx knows {hosts}, not {addresses}")
    upstream = re.findall(r"^\s*server ([\w-]+):50051 ", nginx_text, re.M)
    expect(sorted(upstream) == sorted(addresses), f"nginx.conf: upstreams {upstream}")
    (room,) = set(re.findall(r"max_conns=(\d+)", nginx_text))
    for where, flags in found:
        expect(int(room) < int(flags["max-connections"]), f"{where}: nginx.conf: max_conns")
    (streams,) = re.findall(r"http2_max_concurrent_streams (\d+)", nginx_text)
    expect(streams == DEFAULTS["max-concurrent-streams"],
           "nginx.conf: http2_max_concurrent_streams")
    scraped = [target for config in scrape["static_configs"] for target in config["targets"]]
    expect(sorted(scraped) == sorted(f"{name}:9464" for name in addresses),
           f"prometheus.yml: targets {scraped}")
    return images, found


# --- the server --------------------------------------------------------------


def check_server(server, sets):
    """Each flag is one of the server, and it accepts the values."""
    help_text = subprocess.run([server, "--help"], check=True, text=True,
                               capture_output=True).stdout
    known = set(re.findall(r"--([a-z0-9][a-z0-9-]+)", help_text))
    for where, flags in sets:
        for name in flags.given:
            expect(name in known, f"{where}: stridecast-server has no --{name}")
    printed = subprocess.run([server, "--print-config"], check=True, text=True,
                             capture_output=True).stdout
    defaults = Flags(flag_file(printed))
    for name, value in DEFAULTS.items():
        expect(name in known, f"manifests.py: stridecast-server has no --{name}")
        shown = defaults.given.get(name, "").strip('"')
        expect(shown.isdigit() and int(shown) == size_bytes(value),
               f"manifests.py: the default of --{name} is {shown}, not {value}")
    for where, flags in sets:
        if "tls-certificate" in flags.given:
            continue  # names files of the cluster
        flags.given.pop("flag-file", None)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(flags.file_lines())
            file.flush()
            run = subprocess.run([server, "--flag-file", file.name, "--print-config"],
                                 text=True, capture_output=True)
        expect(run.returncode == 0, f"{where}: {run.stderr.strip()}")


def check_dockerfile(version):
    """The image's default command, ports and user are those of the manifests."""
    text = (DEPLOY.parent / "Dockerfile").read_text()
    expect(re.findall(r"^ARG VERSION=(.*)", text, re.M) == [version],
           f"Dockerfile: VERSION is not {version}")
    expect(re.findall(r"^USER (.*)", text, re.M) == ["10001:10001"], "Dockerfile: USER")
    flags = Flags(re.findall(r'"(--[^"]*)"', re.search(r"^CMD .*", text, re.M).group()))
    (ports,) = re.findall(r"^EXPOSE (\d+) (\d+)", text, re.M)
    expect((flags["listen"], flags["metrics-listen"])
           == tuple(f"0.0.0.0:{port}" for port in ports), "Dockerfile: CMD, EXPOSE")
    return [("Dockerfile", flags)]


def check_documents():
    """Files of deploy/ that a README names are there."""
    for path in DEPLOY.rglob("README.md"):
        for name in re.findall(r"\bdeploy/[\w./-]*[\w/]", path.read_text()):
            expect((DEPLOY.parent / name).exists(),
                   f"{path.relative_to(DEPLOY.parent)}: there is no {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server")
    parser.add_argument("kubernetes", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    images, sets = check_compose()
    for path in arguments.kubernetes:
        image, found = check_kubernetes(path)
        images.add(image)
        sets += found
    cmake = (DEPLOY.parent / "CMakeLists.txt").read_text()
    version = re.search(r"project\(stridecast VERSION ([\d.]+)", cmake).group(1)
    expect(images == {f"stridecast:{version}"}, f"images {images}, version {version}")
    sets += check_dockerfile(version)
    if arguments.server:
        check_server(arguments.server, sets)
    check_documents()
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
