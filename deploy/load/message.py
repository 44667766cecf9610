#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Makes the call that a load script repeats, in the forms that its tools take.

  message.py make OPERATION BYTES STEM
  message.py check STEM ANSWER         ANSWER is grpcurl's JSON
  message.py check-frame STEM REPLY    REPLY is a gRPC frame

OPERATION add is x + 1 of f32, relayout gives s32 [N/64, 64] in columns. BYTES
is the size of the tensor. Files:
  STEM.json   for grpcurl: proto3 JSON, the tensor in base64
  STEM.bin    for ghz -B: the message
  STEM.frame  for h2load -d: the message behind gRPC's five bytes
  STEM.want   the result's bytes, computed here
"""

import array
import base64
import json
import sys

# Field numbers of proto/stridecast/v1; what a field holds is a message's name
# here, or how it is written.
SCHEMA = {
    "ComputeRequest": {"spec": (1, "ComputeSpec"), "payloads": (15, "Payload")},
    "ComputeSpec": {
        "operands": (1, "TensorDesc"),
        "instructions": (2, "Instruction"),
        "results": (3, "ResultSpec"),
    },
    "RelayoutRequest": {
        "operand": (1, "TensorDesc"),
        "result": (2, "ResultSpec"),
        "payload": (15, "Payload"),
    },
    "TensorDesc": {"type": (1, "enum"), "dimensions": (2, "packed")},
    "Instruction": {"opcode": (1, "enum"), "operands": (2, "packed")},
    "ResultSpec": {"layout": (4, "Layout")},
    "Layout": {"minorToMajor": (1, "packed")},
    "Payload": {"raw": (1, "bytes")},
}
ENUMS = {"ADD": 1, "S32": 4, "F32": 11}


def varint(number):
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    written.append(number)
    return bytes(written)


def encode(kind, value):
    parts = []
    for name, (number, what) in SCHEMA[kind].items():
        entries = value.get(name, [])
        if what == "packed" or not isinstance(entries, list):
            entries = [entries]
        for entry in entries:
            if what == "enum":
                parts.append(varint(number << 3) + varint(ENUMS[entry]))
                continue
            if what == "packed":
                entry = b"".join(map(varint, entry))
            elif what != "bytes":
                entry = encode(what, entry)
            parts += [varint(number << 3 | 2), varint(len(entry)), entry]
    return b"".join(parts)


def floats(count):
    """0, 1, ... 250, 0, 1, ...: exact in f32, also with 1 added."""
    return array.array("f", (i % 251 for i in range(count)))


def add(size_bytes):
    count = max(1, size_bytes // 4)
    x = floats(count)
    request = {
        "spec": {
            "operands": [
                {"type": "F32", "dimensions": [count]},
                {"type": "F32", "dimensions": []},
            ],
            "instructions": [{"opcode": "ADD", "operands": [0, 1]}],
            "results": [{}],
        },
        "payloads": [
            {"raw": x.tobytes()},
            {"raw": array.array("f", [1]).tobytes()},
        ],
    }
    return "ComputeRequest", request, array.array("f", (v + 1 for v in x))


def relayout(size_bytes):
    rows = max(1, size_bytes // 256)
    x = array.array("i", range(rows * 64))
    request = {
        "operand": {"type": "S32", "dimensions": [rows, 64]},
        "result": {"layout": {"minorToMajor": [0, 1]}},
        "payload": {"raw": x.tobytes()},
    }
    columns = (x[row * 64 + column] for column in range(64) for row in range(rows))
    return "RelayoutRequest", request, array.array("i", columns)


def make(operation, size_bytes, stem):
    kind, request, result = {"add": add, "relayout": relayout}[operation](size_bytes)
    message = encode(kind, request)
    with open(stem + ".bin", "wb") as file:
        file.write(message)
    with open(stem + ".frame", "wb") as file:
        file.write(b"\0" + len(message).to_bytes(4, "big") + message)
    with open(stem + ".json", "w", encoding="ascii") as file:
        json.dump(request, file, default=lambda b: base64.b64encode(b).decode())
    with open(stem + ".want", "wb") as file:
        file.write(result.tobytes())


def check(stem, path):
    answer = json.load(open(path, encoding="ascii"))
    payload = answer.get("payload") or answer.get("payloads", [{}])[0]
    got = base64.b64decode(payload.get("raw", ""))
    return got == open(stem + ".want", "rb").read()


def check_frame(stem, path):
    """Fields are written in the order of their numbers: the payload is last."""
    reply = open(path, "rb").read()
    want = open(stem + ".want", "rb").read()
    whole = reply[:1] == b"\0" and int.from_bytes(reply[1:5], "big") == len(reply) - 5
    return whole and reply.endswith(want) and len(want) < len(reply) < len(want) + 100


def main():
    if sys.byteorder != "little":
        sys.exit("message.py: only on little-endian machines")
    action, *arguments = sys.argv[1:]
    if action == "make":
        make(arguments[0], int(arguments[1]), arguments[2])
    elif not {"check": check, "check-frame": check_frame}[action](*arguments):
        sys.exit(f"{arguments[1]}: not the values that were to be computed")


if __name__ == "__main__":
    main()
