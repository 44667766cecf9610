#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Holds what a server serves at /metrics against the list of metrics.

  served_metrics.py METRICS < EXPOSITION

Each metric of the list is served, from the start and with its type, and no
other; each label, and each value of one, is as the list has it. From the start:
Prometheus takes a counter's first value for where it began, so that one which
appears with the first error hides that error.
"""

import re
import sys

LINE = re.compile(r"(\w+)(?:\{(.*)\})? \S+")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def read_list(path):
    metrics = {}
    for line in open(path, encoding="utf-8"):
        words = line.split("#")[0].split()
        if words:
            labels = dict((word.partition("=")[::2]) for word in words[2:])
            metrics[words[0]] = (words[1], labels)
    return metrics


def owner(series, metrics):
    for suffix in ("_bucket", "_sum", "_count"):
        name = series.removesuffix(suffix)
        if metrics.get(name, ("",))[0] == "histogram":
            return name
    return series


def check(metrics, lines):
    served = {}
    for line in lines:
        words = line.split()
        if words[:2] == ["#", "TYPE"]:
            served.setdefault(words[2], set())
            kind = metrics.get(words[2], ("not in the list",))[0]
            if kind != words[3]:
                yield f"{words[2]}: served as {words[3]}, listed: {kind}"
        match = LINE.match(line)
        if not match or line.startswith("#"):
            continue
        name = owner(match[1], metrics)
        listed = metrics.get(name, ("", {}))[1]
        for label, value in LABEL.findall(match[2] or ""):
            if label == "le" and name != match[1]:
                continue
            if label not in listed:
                yield f"{name}: the label {label} is not listed"
            elif listed[label] and value not in listed[label].split("|"):
                yield f"{name}: {label}=\"{value}\" is not listed"
            served.setdefault(name, set()).add((label, value))
    for name, (_, labels) in metrics.items():
        if name not in served:
            yield f"{name}: not served"
            continue
        for label, values in labels.items():
            for value in values.split("|"):
                if values and (label, value) not in served[name]:
                    yield f"{name}: {label}=\"{value}\" is not served"


def main():
    errors = sorted(set(check(read_list(sys.argv[1]), sys.stdin)))
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
