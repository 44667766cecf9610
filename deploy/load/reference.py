# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""What a server should answer, computed one element at a time with Python's own
numbers: element types, places of elements in a buffer, and a few operations.
Shares nothing with the service but the meaning of its contract (proto/).

Numbers stay far from overflow and subnormals in floating point, where a result
rounded once is all there is to know; special values are the unit tests' affair.
"""

import itertools
import math
import struct

# Name: bytes, kind (predicate, signed, unsigned, float, complex), bits of the
# mantissa of a float or of a complex number's parts.
TYPES = {
    "PRED": (1, "p", 0),
    "S8": (1, "s", 0), "S16": (2, "s", 0), "S32": (4, "s", 0), "S64": (8, "s", 0),
    "U8": (1, "u", 0), "U16": (2, "u", 0), "U32": (4, "u", 0), "U64": (8, "u", 0),
    "F16": (2, "f", 11), "BF16": (2, "f", 8), "F32": (4, "f", 24), "F64": (8, "f", 53),
    "C64": (8, "c", 24), "C128": (16, "c", 53),
}


def rounded(value, bits):
    """To so many bits of mantissa, to nearest even. Python's round() of a float
    is exact, as is scaling by a power of two."""
    if bits >= 53 or value == 0:
        return value
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(math.ldexp(mantissa, bits)), exponent - bits)


def wrapped(value, kind, size_bytes):
    value &= (1 << 8 * size_bytes) - 1
    if kind == "s" and value >> (8 * size_bytes - 1):
        value -= 1 << 8 * size_bytes
    return value


def saturated(value, kind, size_bytes):
    bits = 8 * size_bytes
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind == "s" else (0, (1 << bits) - 1)
    return min(max(value, low), high)


def pack(dtype, value):
    """A number that the type has, as its bytes."""
    size_bytes, kind, bits = TYPES[dtype]
    if kind == "p":
        return b"\1" if value else b"\0"
    if kind in "su":
        return value.to_bytes(size_bytes, "little", signed=kind == "s")
    if kind == "c":
        part = "<f" if bits == 24 else "<d"
        return struct.pack(part, value.real) + struct.pack(part, value.imag)
    if dtype == "BF16":
        return struct.pack("<f", value)[2:]
    return struct.pack({"F16": "<e", "F32": "<f", "F64": "<d"}[dtype], value)


def fit(dtype, value):
    """The exact or nearly exact result of an operation, as the type has it."""
    size_bytes, kind, bits = TYPES[dtype]
    if kind in "su":
        return wrapped(value, kind, size_bytes)
    if kind == "f":
        return rounded(value, bits)
    if kind == "c":
        return complex(rounded(value.real, bits), rounded(value.imag, bits))
    return value


def any_value(dtype, random, magnitude=1 << 62):
    """A number that the type has. Of integers up to the magnitude."""
    size_bytes, kind, bits = TYPES[dtype]
    if kind == "p":
        return random.random() < .5
    if kind in "su":
        return saturated(random.randint(-magnitude, magnitude) >> random.randrange(64), kind, size_bytes)
    if kind == "f":
        return rounded(random.uniform(-200, 200), bits)
    return complex(rounded(random.uniform(-200, 200), bits), rounded(random.uniform(-200, 200), bits))


def convert(value, source, target):
    """As CONVERT does, overflow unspecified."""
    size_bytes, kind, bits = TYPES[target]
    source_kind = TYPES[source][1]
    if source_kind == "c" and kind != "c":
        value = value.real
    if kind == "p":
        return value != 0
    if kind == "c":
        return fit(target, complex(value))
    if kind == "f":
        return rounded(float(value), bits)
    if source_kind in "fc":
        return saturated(math.trunc(value), kind, size_bytes)
    return wrapped(int(value), kind, size_bytes)


def indices(dimensions):
    return itertools.product(*map(range, dimensions))


class Place:
    """Where elements lie: strides in elements, the buffer's elements, and how
    the contract says it (the fields of TensorDesc or ResultSpec)."""

    def __init__(self, strides, offset, elements, fields):
        self.strides, self.offset = strides, offset
        self.elements, self.fields = elements, fields

    def slots(self, dimensions):
        for index in indices(dimensions):
            yield self.offset + sum(i * s for i, s in zip(index, self.strides))


def ordered(dimensions, minor_to_major, padded, stated=True):
    strides, reach = [0] * len(dimensions), 1
    for dimension in minor_to_major:
        strides[dimension] = reach
        reach *= padded[dimension]
    layout = {"minorToMajor": minor_to_major}
    if padded != dimensions:
        layout["paddedDimensions"] = padded
    return Place(strides, 0, reach, {"layout": layout} if stated else {})


def strided(dimensions, strides):
    """The least buffer that holds all; what runs backwards begins at its end."""
    if 0 in dimensions:
        offset, elements = 0, 0
    else:
        reach = [(n - 1) * s for n, s in zip(dimensions, strides)]
        offset = -sum(r for r in reach if r < 0)
        elements = offset + sum(r for r in reach if r > 0) + 1
    fields = {"strides": {"strides": strides, "offset": offset}}
    return Place(strides, offset, elements, fields)


def places(dimensions, operand):
    """Each way to lay out a tensor; of operands also those that repeat."""
    rank = len(dimensions)
    rows = list(range(rank))[::-1]
    dense = ordered(dimensions, rows, dimensions).strides
    yield "rows", ordered(dimensions, rows, dimensions, stated=False)
    yield "columns", ordered(dimensions, rows[::-1], dimensions)
    yield "turned", ordered(dimensions, rows[1:] + rows[:1], dimensions)
    yield "padded", ordered(dimensions, rows[::-1], [n + 1 + d for d, n in enumerate(dimensions)])
    yield "pitched", strided(dimensions, [s * 2 for s in dense])
    if operand:
        yield "backwards", strided(dimensions, [-s for s in dense])
        yield "repeated", strided(dimensions, [0] + dense[1:] if rank else [])
