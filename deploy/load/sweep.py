#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""The cases of correctness.sh, and what became of them.

  sweep.py make WORK    WORK/cases.json, WORK/lines, WORK/case-N.json
  sweep.py check WORK   WORK/results.json, from WORK/case-N.out and WORK/calls

  relayout   each type x each layout of the operand x each layout of the result,
             of random bytes; shapes in turn, rank 0 and extents of 0 among them
  convert    each type to each type
  add        each type (PRED: OR), with an operand that is broadcast
  large      four types of MAX_BYTES, relayout and add
The answer's payload is compared by its SHA-256, the shape as it is. SEED makes
other numbers.
"""

import base64
import hashlib
import itertools
import json
import os
import random
import sys

import reference
from summary import read_calls, times

SHAPES = ([], [1], [7], [2, 3], [0, 4], [5, 1, 3], [4, 3, 2, 5], [33, 17])
SERVICE = "stridecast.v1.TensorCompute/"


def raw(data):
    """A payload; one of no bytes has no field set."""
    return {"raw": base64.b64encode(data).decode()} if data else {}


class Case:
    def __init__(self, name, method, request, dtype, dimensions, want):
        self.name, self.method, self.request = name, SERVICE + method, request
        self.dtype, self.dimensions, self.want = dtype, dimensions, want


def scattered(values, place, dimensions, dtype):
    """The buffer that holds packed values at their places, zeros between."""
    size_bytes = reference.TYPES[dtype][0]
    buffer = bytearray(place.elements * size_bytes)
    for value, slot in zip(values, place.slots(dimensions)):
        buffer[slot * size_bytes:(slot + 1) * size_bytes] = value
    return bytes(buffer)


def gathered(buffer, place, dimensions, dtype):
    size_bytes = reference.TYPES[dtype][0]
    for slot in place.slots(dimensions):
        yield buffer[slot * size_bytes:(slot + 1) * size_bytes]


def relayout(dtype, dimensions, source, target, numbers):
    """Random bytes: also the gaps, which nobody may read. A predicate is true
    whatever it is that is not 0."""
    (source_name, operand), (target_name, result) = source, target
    data = numbers.randbytes(operand.elements * reference.TYPES[dtype][0])
    if dtype == "PRED":
        data = bytes(b & 3 for b in data)
    values = gathered(data, operand, dimensions, dtype)
    if dtype == "PRED":
        values = (b"\0" if v == b"\0" else b"\1" for v in values)
    request = {
        "operand": {"type": dtype, "dimensions": dimensions} | operand.fields,
        "result": result.fields,
        "payload": raw(data),
    }
    return Case(f"relayout {dtype}{dimensions} {source_name} to {target_name}",
                "Relayout", request, dtype, dimensions,
                scattered(values, result, dimensions, dtype))


def convert(source, target, numbers):
    # Within 24 bits, so that float(x) is exact, and within F16's range.
    magnitude = 1 << 15 if target == "F16" else 1 << 23
    values = [reference.any_value(source, numbers, magnitude) for _ in range(35)]
    dimensions = [5, 7]
    request = {
        "operand": {"type": source, "dimensions": dimensions},
        "convert": {"type": target},
        "payload": raw(b"".join(reference.pack(source, v) for v in values)),
    }
    want = b"".join(
        reference.pack(target, reference.convert(v, source, target)) for v in values)
    return Case(f"convert {source} to {target}", "Relayout", request, target,
                dimensions, want)


def add(dtype, dimensions, place, numbers):
    """x + v, where v has the extents of the last dimension alone."""
    name, result = place
    columns = dimensions[-1]
    x = [reference.any_value(dtype, numbers) for _ in reference.indices(dimensions)]
    v = [reference.any_value(dtype, numbers) for _ in range(columns)]
    either = dtype == "PRED"
    sums = (a or b if either else a + b for a, b in zip(x, itertools.cycle(v)))
    request = {
        "spec": {
            "operands": [{"type": dtype, "dimensions": dimensions},
                         {"type": dtype, "dimensions": [columns]}],
            "instructions": [{
                "opcode": "OR" if either else "ADD", "operands": [0, 1],
                "broadcastDimensions": [len(dimensions) - 1]}],
            "results": [result.fields],
        },
        "payloads": [raw(b"".join(reference.pack(dtype, n) for n in t)) for t in (x, v)],
    }
    want = scattered((reference.pack(dtype, reference.fit(dtype, s)) for s in sums),
                     result, dimensions, dtype)
    return Case(f"add {dtype}{dimensions} to {name}", "Compute", request, dtype,
                dimensions, want)


def all_cases(seed, max_bytes):
    numbers = random.Random(seed)
    shapes = itertools.cycle(SHAPES)
    for dtype in reference.TYPES:
        # The same names for each shape, so that all pairs come.
        for source, target in itertools.product(range(7), range(5)):
            dimensions = next(shapes)
            yield relayout(dtype, dimensions,
                           list(reference.places(dimensions, True))[source],
                           list(reference.places(dimensions, False))[target], numbers)
    for source, target in itertools.product(reference.TYPES, repeat=2):
        yield convert(source, target, numbers)
    for dtype in reference.TYPES:
        for dimensions in ([7], [4, 9], [3, 4, 5]):
            for place in reference.places(dimensions, False):
                yield add(dtype, dimensions, place, numbers)
    for dtype in ("U8", "F16", "F32", "C128"):
        rows = max(1, max_bytes // reference.TYPES[dtype][0] // 96)
        dimensions = [rows, 32, 3]
        named = dict(reference.places(dimensions, True))
        columns = ("columns", named["columns"])
        yield relayout(dtype, dimensions, ("backwards", named["backwards"]), columns, numbers)
        yield add(dtype, dimensions, columns, numbers)


def make(work):
    seed, max_bytes = int(os.environ["SEED"]), int(os.environ["MAX_BYTES"])
    cases, lines = [], []
    for number, case in enumerate(all_cases(seed, max_bytes)):
        with open(os.path.join(work, f"case-{number}.json"), "w", encoding="ascii") as file:
            json.dump(case.request, file)
        cases.append({
            "name": case.name, "type": case.dtype,
            "dimensions": [str(n) for n in case.dimensions],
            "bytes": len(case.want), "sha256": hashlib.sha256(case.want).hexdigest()})
        lines.append(f"{number} {case.method} case-{number}.json case-{number}.out\n")
    with open(os.path.join(work, "cases.json"), "w", encoding="ascii") as file:
        json.dump(cases, file)
    with open(os.path.join(work, "lines"), "w", encoding="ascii") as file:
        file.writelines(lines)


def fault_of(case, work, number, code):
    """What is wrong with an answer, or ""."""
    if code != "0":
        return f"code {code}: " + open(
            os.path.join(work, f"case-{number}.out.error"), encoding="utf-8").read()[:300]
    answer = json.load(open(os.path.join(work, f"case-{number}.out"), encoding="ascii"))
    result = answer.get("result") or answer["results"][0]
    payload = answer.get("payload") or answer.get("payloads", [{}])[0]
    data = base64.b64decode(payload.get("raw", ""))
    if (result["type"], result.get("dimensions", [])) != (case["type"], case["dimensions"]):
        return f"{result['type']}{result.get('dimensions', [])}"
    if hashlib.sha256(data).hexdigest() != case["sha256"]:
        return f"{len(data)} bytes of {case['bytes']}, or other values"
    return ""


def check(work):
    cases = json.load(open(os.path.join(work, "cases.json"), encoding="ascii"))
    calls = {int(name): (code, start, end) for name, code, start, end in read_calls(work)
             if name != "warm-up"}
    results = []
    for number, case in enumerate(cases):
        fault = "was not called"
        if number in calls:
            fault = fault_of(case, work, number, calls[number][0])
        if fault:
            print(f"correctness: case {number}, {case['name']}: {fault}", file=sys.stderr)
        results.append({k: case[k] for k in ("name", "bytes", "sha256")} | {"fault": fault})
    failed = sum(1 for r in results if r["fault"])
    span = max(c[2] for c in calls.values()) - min(c[1] for c in calls.values())
    summary = {
        "cases": len(cases), "failed": failed, "error_rate": failed / len(cases),
        "rate": round(1e6 * len(calls) / span, 3),
        **times((end - start) / 1e3 for _, start, end in calls.values())}
    with open(os.path.join(work, "results.json"), "w", encoding="ascii") as file:
        json.dump({"results": results, "summary": summary}, file)


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](sys.argv[2])
