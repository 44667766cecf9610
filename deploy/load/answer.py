#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Compares what grpcurl printed with what was to be printed.

  answer.py WANTED ANSWER CODE

WANTED and ANSWER are JSON texts, of a stream one after the other. With a CODE
of gRPC other than 0 the answer is the error, in ANSWER.error. Members of an
object that WANTED does not name may be anything; lists have the same length.
In WANTED
  {"$matches": "^[0-9]"}   is a text in which this regular expression is found
  {"$f32": [1, 2]}         is base64 of these numbers, little-endian; chunks of
                           a stream may divide it otherwise
"""

import base64
import json
import re
import struct
import sys


def differences(wanted, got, path):
    if isinstance(wanted, dict) and "$matches" in wanted:
        if not isinstance(got, str) or not re.search(wanted["$matches"], got):
            yield f"{path}: {got!r} does not match {wanted['$matches']}"
    elif isinstance(wanted, dict) and "$f32" in wanted:
        values = wanted["$f32"]
        data = base64.b64decode(got if isinstance(got, str) else "")
        if data != struct.pack(f"<{len(values)}f", *values):
            found = struct.unpack_from(f"<{len(data) // 4}f", data)
            yield f"{path}: {list(found)}, not {values}"
    elif isinstance(wanted, dict) and isinstance(got, dict):
        for name, value in wanted.items():
            if name not in got:
                yield f"{path}.{name}: missing"
            else:
                yield from differences(value, got[name], f"{path}.{name}")
    elif isinstance(wanted, list) and isinstance(got, list):
        if len(wanted) != len(got):
            yield f"{path}: {len(got)} entries, not {len(wanted)}"
        for index, (one, other) in enumerate(zip(wanted, got)):
            yield from differences(one, other, f"{path}[{index}]")
    elif wanted != got:
        yield f"{path}: {got!r}, not {wanted!r}"


def documents(text):
    decoder = json.JSONDecoder()
    found = []
    text = text.strip()
    while text:
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:].lstrip()
    return found


def join_chunks(answers):
    """One answer for all result chunks of a stream, with their data."""
    chunks = [a["result"] for a in answers if "data" in a.get("result", {})]
    if not chunks:
        return answers
    data = b"".join(base64.b64decode(chunk["data"]) for chunk in chunks)
    joined = {"result": {"data": base64.b64encode(data).decode()}}
    return [a for a in answers if a.get("result") not in chunks] + [joined]


def main():
    wanted_path, answer_path, code = sys.argv[1:]
    wanted = documents(open(wanted_path, encoding="utf-8").read())
    suffix = "" if code == "0" else ".error"
    text = open(answer_path + suffix, encoding="utf-8").read()
    try:
        got = join_chunks(documents(text))
    except ValueError:
        print(f"code {code}, {text.strip()!r}")
        return 1
    faults = list(differences(wanted, got, "answer"))
    print("; ".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
