#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""The tool's .npy files against NumPy itself: what NumPy writes is read, what is
written NumPy loads. Run by tool_numpy_test.sh, with a server at
STRIDECAST_SERVER. Usage: tool_numpy_test.py TOOL"""

import io
import subprocess
import sys

import numpy

TOOL = sys.argv[1]
TYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8",
         "c8", "c16")
SHAPES = ((), (5,), (2, 3), (0, 3), (3, 1, 4))
failures = 0
checked = 0


def run(*arguments, stdin=None):
    return subprocess.run([TOOL, *arguments], input=stdin, capture_output=True)


def check(what, good):
    global failures, checked
    checked += 1
    if not good:
        failures += 1
        print(f"FAILED: {what}")


def example(descr, shape):
    """Numbers of all bit patterns that mean something."""
    rng = numpy.random.default_rng(7)
    count = int(numpy.prod(shape))
    dtype = numpy.dtype(descr)
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(dtype).reshape(shape)
    if dtype.kind in "iu":
        raw = rng.bytes(count * dtype.itemsize)
        return numpy.frombuffer(raw, dtype).reshape(shape)
    values = rng.standard_normal(count) * 100
    if dtype.kind == "c":
        values = values + 1j * rng.standard_normal(count)
    if count > 3:
        values[:3] = (numpy.nan, numpy.inf, -0.0)
    return values.astype(dtype).reshape(shape)


def file_of(array, version=None):
    stream = io.BytesIO()
    numpy.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def load(data):
    return numpy.load(io.BytesIO(data))


def is_same(array, other):
    """The same bits in the same logical order, of one type."""
    return (array.shape == other.shape and
            array.dtype.newbyteorder("<") == other.dtype and
            array.astype(other.dtype).tobytes() == other.tobytes())


def check_reading():
    """All types, orders, byte orders and versions become row-major."""
    for code in TYPES:
        for byte_order in "<>":
            for shape in SHAPES:
                array = example(byte_order + code, shape)
                for laid in (array, numpy.asfortranarray(array)):
                    for version in ((1, 0), (2, 0), (3, 0)):
                        done = run("convert", "-", "-o", "-",
                                   stdin=file_of(laid, version))
                        what = f"{laid.dtype.str} {shape} {version}"
                        check(f"{what}: {done.stderr}", done.returncode == 0 and
                              is_same(laid, load(done.stdout)))


def check_writing():
    """Column-major tensors are loaded as what they are."""
    for code in TYPES:
        array = example("<" + code, (3, 4, 5))
        done = run("relayout", "-", "--result-layout", "column-major", "-o",
                   "-", stdin=file_of(array))
        check(f"{code}: {done.stderr}", done.returncode == 0)
        loaded = load(done.stdout)
        check(f"{code} written column-major",
              is_same(array, loaded) and loaded.flags.f_contiguous)
        # Aligned for numpy.memmap.
        check(f"{code}: where the elements begin",
              (len(done.stdout) - array.nbytes) % 64 == 0)


def check_named_order():
    """Other layouts have the shape of the memory."""
    array = example("<f4", (2, 3, 4, 5))
    done = run("relayout", "-", "--dims", "NHWC", "--result-layout", "NCHW",
               "-o", "-", stdin=file_of(array))
    check("NCHW", is_same(array.transpose(0, 3, 1, 2), load(done.stdout)))


def check_bf16():
    """'<V2' both ways; what ml_dtypes makes of it is another's test."""
    array = example("<f4", (3, 4))
    done = run("convert", "-", "--to", "bf16", "-o", "-", stdin=file_of(array))
    written = load(done.stdout)
    check("bf16 is <V2", written.dtype == numpy.dtype("V2"))
    bits = array.view("<u4").astype("u8")
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2")
    rounded[numpy.isnan(array)] = 0x7FC0
    check("bf16 bits", numpy.array_equal(written.view("<u2"), rounded))
    back = run("convert", "-", "--to", "f32", "-o", "-", stdin=done.stdout)
    wide = (rounded.astype("<u4") << 16).view("<f4")
    check("bf16 read", is_same(wide, load(back.stdout)))


def check_refusals():
    """What is no tensor has one line that says so."""
    refused = {
        "structured": numpy.zeros(2, [("a", "<f4"), ("b", "<i4")]),
        "Python objects": numpy.array([1, None], dtype=object),
        "text": numpy.array(["ab", "c"]),
        "dates": numpy.array(["2024-01-01"], dtype="M8[D]"),
        "time spans": numpy.array([5], dtype="m8[s]"),
        "wider than f64": numpy.zeros(2, numpy.longdouble),
        "wider than c128": numpy.zeros(2, numpy.clongdouble),
        "2-byte voids": numpy.zeros(2, "V3"),
    }
    for text, array in refused.items():
        done = run("convert", "-", "-o", "-", stdin=file_of(array))
        lines = done.stderr.decode().splitlines()
        check(f"{text}: {done}", done.returncode == 1 and not done.stdout and
              len(lines) == 1 and text in lines[0])


check_reading()
check_writing()
check_named_order()
check_bf16()
check_refusals()
print(f"{checked} checks, {failures} failures, NumPy {numpy.__version__}")
sys.exit(failures > 0 or checked < 800)
