#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Writes a load script's report and holds it against the thresholds.

  report.py WORK REPORT

WORK/results.json has "results", one entry a case or cell, and "summary", of
which the thresholds are about. Exits with 1 if one is passed.
  MAX_ERROR_RATE   summary.error_rate, share of calls that failed
  MAX_P99_MS       summary.p99_ms
  MIN_RATE         summary.rate, calls a second
A threshold on what was not measured is passed, too: a run without any calls is
no success.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys

# Variable, member of the summary, whether it is the most or the least.
THRESHOLDS = (
    ("MAX_ERROR_RATE", "error_rate", "most"),
    ("MAX_P99_MS", "p99_ms", "most"),
    ("MIN_RATE", "rate", "least"),
)
# Variables of the scripts, written down as the settings of a run.
SETTINGS = (
    "CA_FILE", "CERT_FILE", "CONCURRENCY", "CONNECTIONS", "CALLS", "JOBS",
    "KNEE_FACTOR", "MAX_BYTES", "MAX_SECONDS", "OPERATION", "RATES",
    "REFLECTION", "SEED", "SERVER_FLAGS", "SIZE", "SIZES", "STEP_SECONDS",
    "STREAMS", "TIMEOUT_SECONDS",
)


def said(*command):
    """What a program says, or "" where it is missing."""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=20, check=False)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def version_of(name, flag):
    """Programs of `go install` do not know theirs, the toolchain reads it."""
    path = shutil.which(name)
    if not path:
        return ""
    found = re.search(r"\bv?\d+\.\d[\w.()/-]*", said(name, flag))
    built = re.search(r"\tmod\t\S+\t(\S+)", said("go", "version", "-m", path))
    return found[0] if found else built[1] if built else "unknown"


def field_of(path, name):
    for line in open(path, encoding="utf-8"):
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""


def commit(repository):
    """Of a checkout; an archive has none, GIT_COMMIT may say it."""
    described = said(
        "git", "-C", repository, "describe", "--always", "--dirty", "--abbrev=12")
    return os.environ.get("GIT_COMMIT") or described.strip()


def environment(work):
    info = json.load(open(os.path.join(work, "server_info"), encoding="utf-8"))
    binary = os.environ["LOAD_SERVER_BINARY"]
    versions = {
        name: version_of(name, flag)
        for name, flag in (("grpcurl", "-version"), ("ghz", "--version"),
                           ("h2load", "--version"), ("bash", "--version"))
    }
    return {
        "date": os.environ["LOAD_STARTED"],
        "cpu": field_of("/proc/cpuinfo", "model name"),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "load_average_at_start": os.environ["LOAD_AVERAGE"],
        "kernel": " ".join((platform.system(), platform.release())),
        "commit": commit(os.environ["LOAD_REPOSITORY"]),
        "versions": {k: v for k, v in versions.items() if v}
        | {"python": platform.python_version()},
        "server": {
            "address": os.environ["address"],
            "started_by_this_script": bool(binary),
            "version": info.get("version"),
            "simd_target": info.get("simdTarget"),
            "limits": info.get("limits"),
        },
    }


def thresholds(summary):
    stated, broken = {}, []
    for variable, member, kind in THRESHOLDS:
        text = os.environ.get(
            variable, "0" if variable == "MAX_ERROR_RATE" else "")
        if not text:
            continue
        bound, value = float(text), summary.get(member)
        stated[variable] = bound
        if value is None:
            broken.append(f"{variable}={text}: {member} was not measured")
        elif value > bound if kind == "most" else value < bound:
            broken.append(f"{variable}={text}: {member} is {value:g}")
    if "fault" in summary:
        broken.append(summary["fault"])
    return stated, broken


def main():
    work, path = sys.argv[1:]
    name = os.environ["LOAD_NAME"]
    try:
        measured = json.load(
            open(os.path.join(work, "results.json"), encoding="utf-8"))
        stated, broken = thresholds(measured["summary"])
    except ValueError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    report = {
        "script": name,
        "passed": not broken,
        "thresholds": stated,
        "past_thresholds": broken,
        "summary": measured["summary"],
        "settings": {k: os.environ[k] for k in SETTINGS if os.environ.get(k)},
        "environment": environment(work),
        "results": measured["results"],
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
        file.write("\n")
    said = ", ".join(f"{k} {v:g}" if isinstance(v, float) else f"{k} {v}"
                     for k, v in measured["summary"].items())
    print(f"{name}: {said}")
    for line in broken:
        print(f"{name}: {line}", file=sys.stderr)
    print(f"{name}: {'passed' if not broken else 'FAILED'}; {path}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
