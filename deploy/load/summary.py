#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Turns what a load script has recorded into WORK/results.json.

  summary.py checks WORK     smoke: WORK/checks, WORK/calls
  summary.py cells WORK      parallel: WORK/calls, named SIZE/CONCURRENCY
  summary.py h2load WORK     WORK/SIZE-STREAMS.{txt,log}

WORK/calls has lines "NAME CODE START END" of lib.sh, in us. Quantiles are of
all calls that succeeded, by the nearest rank: no interpolation.
"""

import json
import math
import os
import re
import sys


def quantile(ordered, share):
    """Of numbers in ascending order; None if there are none."""
    if not ordered:
        return None
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def times(durations_ms):
    ordered = sorted(durations_ms)
    return {
        f"{name}_ms": round(value, 3)
        for name, value in (
            ("p50", quantile(ordered, .5)),
            ("p90", quantile(ordered, .9)),
            ("p99", quantile(ordered, .99)),
            ("max", ordered[-1] if ordered else None),
        )
        if value is not None
    }


def worst(results, member):
    return max((r[member] for r in results if member in r), default=None)


def read_calls(work):
    for line in open(os.path.join(work, "calls"), encoding="ascii"):
        name, code, start, end = line.split()
        yield name, code, int(start), int(end)


def of_calls(calls):
    """A cell's entry: calls as read_calls has them."""
    good = [(end - start) / 1e3 for _, code, start, end in calls if code == "0"]
    seconds = (max(c[3] for c in calls) - min(c[2] for c in calls)) / 1e6
    entry = {"calls": len(calls), "failed": len(calls) - len(good)}
    entry |= {"rate": round(len(good) / seconds, 3), **times(good)}
    codes = {}
    for _, code, _, _ in calls:
        codes[code] = codes.get(code, 0) + 1
    return entry | {"codes": codes}


def over_cells(results, key):
    """The worst cell's p99, the best cell's rate."""
    calls = sum(r["calls"] for r in results)
    best = max(results, key=lambda r: r["rate"], default={})
    summary = {
        "calls": calls,
        "error_rate": sum(r["failed"] for r in results) / calls if calls else None,
        "p99_ms": worst(results, "p99_ms"),
        "rate": best.get("rate"),
        "best": " ".join(f"{k} {best[k]}" for k in key) if best else None,
    }
    return {k: v for k, v in summary.items() if v is not None}


def checks(work):
    calls = list(read_calls(work))
    took = {name: (end - start) / 1e3 for name, _, start, end in calls}
    results = []
    for line in open(os.path.join(work, "checks"), encoding="ascii"):
        name, outcome = line.split()
        entry = {"name": name, "passed": outcome == "ok"}
        if name in took:
            entry["ms"] = took[name]
        results.append(entry)
    failed = [r["name"] for r in results if not r["passed"]]
    summary = {
        "checks": len(results),
        "failed": len(failed),
        "error_rate": len(failed) / len(results) if results else None,
        "rate": round(1e3 * len(took) / sum(took.values()), 3),
        **times(took.values()),
    }
    return results, summary


def cells(work):
    by_name = {}
    for call in read_calls(work):
        by_name.setdefault(call[0], []).append(call)
    results = []
    for name, calls in by_name.items():
        size, concurrency = map(int, name.split("/"))
        results.append(
            {"size_bytes": size, "concurrency": concurrency} | of_calls(calls))
    results.sort(key=lambda r: (r["size_bytes"], r["concurrency"]))
    return results, over_cells(results, ("size_bytes", "concurrency"))


def h2load_cell(text, log, frame_bytes):
    """h2load knows HTTP alone: 200 is every answer of gRPC, an error too. A good
    answer has frame_bytes, one of an error none: the bytes count them."""
    found = re.search(r"requests: (\d+) total.* (\d+) failed", text)
    data = re.search(r"\((\d+)\) data", text)
    if not found or not data:
        return {"calls": 1, "failed": 1, "rate": 0.0}
    total, lost = int(found[1]), int(found[2])
    answered = min(total - lost, int(data[1]) // frame_bytes)
    rows = [line.split("\t") for line in open(log, encoding="ascii")]
    rows = [(int(r[0]), int(r[2])) for r in rows if r[1] == "200"]
    seconds = (max(s + t for s, t in rows) - min(s for s, _ in rows)) / 1e6 if rows else 1
    entry = {"calls": total, "failed": total - answered}
    entry["rate"] = round(answered / seconds, 3)
    return entry | times(t / 1e3 for _, t in rows)


def h2load(work):
    results = []
    for path in sorted(os.listdir(work)):
        found = re.fullmatch(r"(\d+)-(\d+)\.txt", path)
        if not found:
            continue
        stem = os.path.join(work, path.removesuffix(".txt"))
        size = int(found[1])
        frame = os.path.getsize(os.path.join(work, f"{size}.reply"))
        cell = h2load_cell(open(stem + ".txt", encoding="utf-8").read(),
                           stem + ".log", frame)
        results.append({"size_bytes": size, "streams": int(found[2])} | cell)
    results.sort(key=lambda r: (r["size_bytes"], r["streams"]))
    return results, over_cells(results, ("size_bytes", "streams"))


def main():
    kind, work = sys.argv[1:]
    results, summary = {"checks": checks, "cells": cells, "h2load": h2load}[kind](work)
    with open(os.path.join(work, "results.json"), "w", encoding="ascii") as file:
        json.dump({"results": results, "summary": summary}, file)


if __name__ == "__main__":
    main()
