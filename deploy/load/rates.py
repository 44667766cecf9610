#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""What ghz.sh makes of ghz's reports.

  rates.py rates WORK     the rates to offer, from WORK/closed.json
  rates.py summary WORK   WORK/results.json, from WORK/open-RATE.json
  rates.py knee WORK      the rate at the knee, or nothing

Of each step: the rate that was to be offered, `offered`; calls that ghz made a
second, `sent`, less where it has no CPU left; calls that were answered well,
`rate`, of all the time until the last one.
"""

import json
import os
import re
import sys

from summary import times

SHARES = (.1, .2, .3, .4, .5, .6, .7, .8, .9, 1., 1.1, 1.2)
KEEPS_UP = .95


def load(work, name):
    return json.load(open(os.path.join(work, name), encoding="utf-8"))


def step(report):
    details = report.get("details") or []
    good = [d["latency"] / 1e6 for d in details if d["status"] == "OK"]
    seconds = report["total"] / 1e9
    return {
        "sent": round(len(details) / (report["options"]["duration"] / 1e9), 1),
        "rate": round(len(good) / seconds, 1),
        "calls": len(details),
        "failed": len(details) - len(good),
        **times(good),
        "codes": report.get("statusCodeDistribution") or {},
    }


def error_rate(steps):
    calls = sum(s["calls"] for s in steps)
    return sum(s["failed"] for s in steps) / calls if calls else 1.


def knee_of(steps):
    """How many of the steps, in ascending order, come before the first that the
    server does not keep up with."""
    least = min((s["p50_ms"] for s in steps if "p50_ms" in s), default=0.)
    most = least * float(os.environ["KNEE_FACTOR"])
    errors = float(os.environ.get("MAX_ERROR_RATE") or 0)
    for number, one in enumerate(steps):
        if (error_rate([one]) > errors or one["rate"] < KEEPS_UP * one["offered"]
                or one["p50_ms"] > most):
            return number
    return len(steps)


def rates(work):
    capacity = step(load(work, "closed.json"))["rate"]
    print(*sorted({max(1, round(share * capacity)) for share in SHARES}))


def summary(work):
    closed = step(load(work, "closed.json"))
    steps = []
    for name in os.listdir(work):
        found = re.fullmatch(r"open-(\d+)\.json", name)
        if found:
            steps.append({"loop": "open", "offered": int(found[1])} | step(load(work, name)))
    steps.sort(key=lambda s: s["offered"])
    count = knee_of(steps)
    summed = {"capacity": closed["rate"], "steps": len(steps)}
    if count:
        knee = steps[count - 1]
        summed |= {k: knee[k] for k in ("offered", "rate", "p50_ms", "p99_ms")}
        summed["error_rate"] = error_rate(steps[:count])
        summed["highest_rate_is_the_knee"] = count == len(steps)
    else:
        summed["error_rate"] = error_rate(steps[:1])
        summed["fault"] = "no rate was kept up with"
    head = {"loop": "closed", "concurrency": int(os.environ["CONCURRENCY"])}
    with open(os.path.join(work, "results.json"), "w", encoding="ascii") as file:
        json.dump({"results": [head | closed] + steps, "summary": summed}, file)


def knee(work):
    summed = load(work, "results.json")["summary"]
    print(summed.get("offered", ""))


if __name__ == "__main__":
    {"rates": rates, "summary": summary, "knee": knee}[sys.argv[1]](sys.argv[2])
