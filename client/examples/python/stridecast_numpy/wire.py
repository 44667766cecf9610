# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Messages around tensors, written and read without protobuf's own copies.

protobuf takes bytes only, no memoryview: it would copy an array to become bytes,
into the message, into the serialized message, and twice out of a reply. So everything but the data is protobuf's, and the
data is framed here, by the rules of its encoding: field 15 of the requests is
written last, after the rest.
  sending    one copy, join(), into the bytes that gRPC takes
  receiving  none: results are views of the bytes that gRPC hands over
gRPC copies on its own: in, bytes to its memory; out, its memory to bytes, by way
of a list of parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .stubs import program_pb2, service_pb2, tensor_pb2

_BYTES = 2  # wire type: a length, then as many bytes


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _head(field: int, size: int) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(size)


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field; bytes are parts of `data`."""
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        if tag & 7 == _BYTES:
            size, at = _read_varint(data, at)
            yield tag >> 3, data[at:at + size]
            at += size
        elif tag & 7 == 0:
            number, at = _read_varint(data, at)
            yield tag >> 3, number
        else:
            at += 8 if tag & 7 == 1 else 4


def compute_request(spec: program_pb2.ComputeSpec, operands: Sequence[np.ndarray]) -> bytes:
    parts: list = [service_pb2.ComputeRequest(spec=spec).SerializeToString()]
    for operand in operands:
        raw = _head(1, operand.nbytes) if operand.nbytes else b""  # Payload.raw
        parts += [_head(15, len(raw) + operand.nbytes), raw, operand.data]
    return b"".join(parts)


def compute_response(message: bytes) -> list[tuple[tensor_pb2.TensorDesc, memoryview]]:
    descs, payloads = [], []
    for number, value in _fields(memoryview(message)):
        if number == 1:
            descs.append(tensor_pb2.TensorDesc.FromString(bytes(value)))
        elif number == 15:
            raw = [data for field, data in _fields(value) if field == 1]
            payloads.append(raw[0] if raw else memoryview(b""))
    return list(zip(descs, payloads))


def stream_begin(spec: program_pb2.ComputeSpec) -> bytes:
    return service_pb2.ComputeStreamRequest(begin=spec).SerializeToString()


def stream_operand(index: int, offset: int, data: np.ndarray) -> bytes:
    chunk = service_pb2.Chunk(index=index, offset=offset).SerializeToString()
    chunk += _head(15, data.nbytes)
    return b"".join([_head(2, len(chunk) + data.nbytes), chunk, data.data])


def stream_event(message: bytes) -> service_pb2.Plan | tuple[int, int, memoryview]:
    """The plan, or index, offset and data of a piece of a result."""
    for number, value in _fields(memoryview(message)):
        if number == 1:
            return service_pb2.Plan.FromString(bytes(value))
        if number == 2:
            fields = dict(_fields(value))
            return fields.get(1, 0), fields.get(2, 0), fields.get(15, memoryview(b""))
    raise ValueError("an event of a stream that this client does not know")
