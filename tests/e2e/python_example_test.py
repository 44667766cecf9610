#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""The Python example against NumPy itself: random arrays of all types and views
through a server at STRIDECAST_SERVER, each function once by NumPy and once by the
server. Compared bit by bit, NaN apart, where no other bound is stated.
Usage: python_example_test.py TOOL [SEED]"""

import io
import operator
import os
import pathlib
import re
import subprocess
import sys
import warnings

import grpc
import ml_dtypes
import numpy as np

import stridecast_numpy as sc
from stridecast_numpy import tensors, wire

TOOL = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 20261
rng = np.random.default_rng(SEED)
client = sc.connect(os.environ["STRIDECAST_SERVER"])
failures = checked = 0

BF16 = np.dtype(ml_dtypes.bfloat16)
SIGNED = [np.dtype(code) for code in ("i1", "i2", "i4", "i8")]
UNSIGNED = [np.dtype(code) for code in ("u1", "u2", "u4", "u8")]
FLOATS = [np.dtype("f2"), BF16, np.dtype("f4"), np.dtype("f8")]
COMPLEX = [np.dtype("c8"), np.dtype("c16")]
INTEGERS = SIGNED + UNSIGNED
BOOL = np.dtype(bool)
ALL = [BOOL, *INTEGERS, *FLOATS, *COMPLEX]


def check(what, good):
    global failures, checked
    checked += 1
    if not good:
        failures += 1
        print(f"FAILED (seed {SEED}): {what}")


def pick(items):
    return items[rng.integers(len(items))]


def is_same(answer, expected, bits=True):
    """One type and shape and the same bits, or all NaN the same; 0 has a sign."""
    expected = np.asarray(expected)
    if answer.dtype != expected.dtype or answer.shape != expected.shape:
        return False
    if not bits and expected.dtype in FLOATS:
        a, b = np.isnan(answer), np.isnan(expected)
        zero = expected.dtype.type(0)
        answer, expected = np.where(a, zero, answer), np.where(b, zero, expected)
        if not np.array_equal(a, b):
            return False
    return answer.tobytes() == expected.tobytes()


def is_close(answer, expected, ulps):
    """Of one type and shape, at most so far apart, in units of the type."""
    if answer.dtype != expected.dtype or answer.shape != expected.shape:
        return False
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    bound = ulps * float(ml_dtypes.finfo(expected.dtype).eps)
    return np.allclose(answer.astype(wide), expected.astype(wide), rtol=bound,
                       atol=bound * 1e-3, equal_nan=True)


def numbers(dtype, shape):
    """All bit patterns for integers; floats with NaN, infinities and zeros."""
    count = int(np.prod(shape))
    if dtype == BOOL:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        return np.frombuffer(rng.bytes(count * dtype.itemsize), dtype).reshape(shape)
    values = rng.standard_normal(count) * 10.0 ** rng.integers(-2, 3, count)
    if dtype in COMPLEX:
        return (values + 1j * rng.standard_normal(count)).astype(dtype).reshape(shape)
    special = rng.random(count) < 0.1
    values[special] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], special.sum())
    return values.astype(dtype).reshape(shape)


def view_of(dtype, shape):
    """An array of that shape that lies somewhere within another, anyhow."""
    axes = rng.permutation(len(shape))
    margins, key = [], []
    for extent in np.array(shape, int)[axes]:
        step = int(pick([1, 1, 1, 2, 3, -1, -1, -2]))
        below, above = rng.integers(0, 3, 2)
        size = max(extent - 1, 0) * abs(step) + 1 + below + above
        start = below if step > 0 else size - 1 - above
        stop = start + extent * step
        key.append(slice(start, stop if stop >= 0 else None, step) if extent else slice(0, 0))
        margins.append(int(size))
    array = numbers(dtype, margins)[tuple(key)].transpose(np.argsort(axes))
    assert array.shape == tuple(shape)
    return array


def random_shape(rank=None):
    rank = rng.integers(0, 6) if rank is None else rank
    return tuple(int(pick([0, 1, 1, 2, 3, 4, 5, 7])) if rng.random() < 0.4
                 else int(rng.integers(1, 6)) for _ in range(rank))


def partner_of(shape):
    """A shape that NumPy broadcasts with this one."""
    other = [1 if rng.random() < 0.25 else extent for extent in shape]
    return tuple(other[rng.integers(0, len(other) + 1):])


def call(function, *arrays, **options):
    """In pieces as often as not; an error is the test's end."""
    return client.compute(function, *arrays, stream=bool(rng.integers(2)), **options)


def has_order(array, axes):
    """Dense, with the axes from the slowest to the fastest."""
    return array.transpose(axes).flags.c_contiguous


def check_relayout():
    for dtype in ALL:
        for _ in range(20):
            array = view_of(dtype, random_shape())
            axes = [int(axis) for axis in rng.permutation(array.ndim)]
            order, expected = pick([("C", range(array.ndim)), (axes, axes),
                                    ("F", range(array.ndim)[::-1])])
            result = client.relayout(array, order, stream=bool(rng.integers(2)))
            what = f"relayout {dtype} {array.shape} {array.strides} to {order}"
            check(what, is_same(result, array))
            check(f"{what}: {result.strides}", has_order(result, expected))
            check(f"{what}: read-only", not result.flags.writeable)


def check_kinds_of_arrays():
    base = np.arange(60, dtype="f4").reshape(3, 4, 5)
    record = np.zeros(4, [("a", "u1"), ("b", "<f4"), ("c", "<i4")])
    record["b"] = [1, 2, 3, 4]
    arrays = {
        "repeated": np.broadcast_to(base[0, 0], (3, 2, 5)),
        "0-d": np.array(2.5, "f8"), "0-d of a view": base[1:, ::-1][1, 0, 2:3][0:1].reshape(()),
        "a field of records": record["b"], "big-endian": base.astype(">f4"),
        "big-endian, backwards": base.astype(">f4")[::-1, ::2],
        "sliding windows": np.lib.stride_tricks.sliding_window_view(base[0, 0], 3),
        "few of many": np.zeros((300, 300, 4), "i2")[::100, ::100],
        "read-only": np.frombuffer(base.tobytes(), "f4"),
        "unaligned": np.frombuffer(b"x" + base.tobytes(), "f4", offset=1),
        "a list": [[1, 2], [3, 4]],
    }
    for name, array in arrays.items():
        expected = np.asarray(array).astype(np.asarray(array).dtype.newbyteorder("="))
        check(name, is_same(client.relayout(array), expected))
        check(f"{name}, stream", is_same(client.relayout(array, stream=True), expected))
    photo = numbers(np.dtype("u1"), (2, 5, 7, 3))
    planes = client.relayout(photo, dims="NHWC", order="NCHW")
    check("NHWC to NCHW", is_same(planes, photo) and has_order(planes, (0, 3, 1, 2)))


def check_copies():
    """What is promised of memory: NumPy's own word for whose it is."""
    base = numbers(np.dtype("f4"), (64, 64))
    for array in (base, base.T, base[::-1, ::-1], base[:, 1:], base[3, 4]):
        array = np.asarray(array)
        check("described uncopied", array.base is None or
              np.shares_memory(tensors.describe(array)[1], array))
    huge = np.zeros((1000, 1000), "f4")[::100, ::100]
    check("few of many are packed", tensors.describe(huge)[1].nbytes == huge.nbytes)
    columns = np.zeros((1000, 1000), "f4")[:, ::2]
    check("half of many are not", np.shares_memory(tensors.describe(columns)[1], columns))
    desc, data = tensors.describe(base)
    reply = wire.service_pb2.ComputeResponse(results=[desc])
    reply.payloads.add(raw=data.tobytes())
    message = reply.SerializeToString()
    (found, payload), = wire.compute_response(message)
    result = tensors.view(found, payload)
    check("results are the reply's bytes", is_same(result, base) and np.shares_memory(
        result, np.frombuffer(message, np.uint8)))


def check_conversions():
    """Where NumPy and the server mean the same."""
    def expect(array, dtype, **options):
        what = f"{array.dtype} to {dtype}, {array.shape}"
        expected = array.astype(dtype)
        check(what, is_same(client.relayout(array, dtype=dtype, **options), expected,
                            bits=False))

    for source in [BOOL, *INTEGERS]:
        for target in ALL:
            if BF16 in (source, target) and source.itemsize > 2:
                continue  # ml_dtypes rounds twice, by way of f32
            expect(view_of(source, random_shape(3)), target)
    for source in FLOATS:
        for target in [BOOL, *FLOATS, *COMPLEX]:
            array = view_of(source, random_shape(3))
            if target == BF16 and source == np.dtype("f8"):
                array = array.astype("f4").astype("f8")  # as above
            if target in COMPLEX:
                array = np.nan_to_num(array.astype("f4")).astype(source)
            expect(array, target)
        for target in INTEGERS:
            array = np.trunc(rng.uniform(0, 100, (4, 5))).astype(source)
            expect(array.T, target)
    saturated = client.relayout(np.array([300.7, -5, np.nan], "f4"), dtype="u1")
    check("saturated", saturated.tolist() == [255, 0, 0])
    saturated = client.relayout(np.array([300, -5, 7], "i2"), dtype="u1", overflow="SATURATE")
    check("saturated integers", saturated.tolist() == [255, 0, 7])


def check_arithmetic():
    """f(arrays) by NumPy and by the server."""
    arithmetic = [operator.add, operator.sub, operator.mul]
    order = [np.maximum, np.minimum, np.fmax, np.fmin]
    comparisons = [operator.eq, operator.ne, operator.ge, operator.gt, operator.le, operator.lt]
    bits = [operator.and_, operator.or_, operator.xor]
    integer = [*arithmetic, *order, *comparisons, *bits, operator.floordiv, operator.mod, np.fmod,
               operator.lshift, operator.rshift, operator.pow]
    floating = [*arithmetic, *order, *comparisons, operator.truediv, operator.mod]
    groups = [([BOOL], [operator.add, operator.mul, np.maximum, *comparisons, *bits]),
              (INTEGERS, integer), (FLOATS, floating),
              (COMPLEX, [operator.add, operator.sub, operator.eq, operator.ne])]
    for dtypes, functions in groups:
        for function in functions:
            for dtype in dtypes * (4 if dtypes == [BOOL] else 1):
                shape = random_shape()
                a, b = view_of(dtype, shape), view_of(dtype, partner_of(shape))
                name = getattr(function, "__name__", str(function))
                if name in ("floordiv", "mod", "fmod") and dtype in INTEGERS:
                    b = np.where(b == 0, dtype.type(3), b)  # by 0 is another
                    if dtype in SIGNED:
                        b = np.where(b == -1, dtype.type(5), b)
                if name == "pow" or "shift" in name:
                    b = b & dtype.type(7)
                if name in ("maximum", "minimum", "fmax", "fmin") and dtype in FLOATS:
                    a, b = a + dtype.type(0), b + dtype.type(0)  # NumPy's -0 is 0
                if rng.random() < 0.5:
                    a, b = b, a
                    if name in ("floordiv", "mod", "fmod", "pow") or "shift" in name:
                        a, b = b, a
                answer = call(function, a, b)
                check(f"{name} {dtype} {a.shape} {b.shape}",
                      is_same(answer, function(a, b), bits=False))


def check_functions():
    exact = [operator.neg, abs, np.floor, np.ceil, np.trunc, np.rint, np.sqrt, np.square,
             np.isnan, np.isinf, np.isfinite, operator.pos]
    close = [np.exp, np.expm1, np.exp2, np.log, np.log1p, np.sin, np.cos, np.tanh, np.arctan,
             np.cbrt, np.arcsinh]
    for dtype in FLOATS:
        for function in exact:
            x = view_of(dtype, random_shape(2))
            check(f"{function} {dtype}", is_same(call(function, x), function(x), bits=False))
        for function in close:
            x = view_of(dtype, random_shape(2))
            if function in (np.sin, np.cos):
                x = np.where(np.isfinite(x), x, dtype.type(1))
            # NumPy's own bound is 4 units; f16 and bf16 are rounded from f32.
            check(f"{function} {dtype}", is_close(call(function, x), function(x), 8))
    for dtype in SIGNED:
        for function in (operator.neg, abs, operator.invert, np.square, np.sign):
            x = view_of(dtype, random_shape(3))
            check(f"{function} {dtype}", is_same(call(function, x), function(x)))
    for dtype in COMPLEX:
        x, y = view_of(dtype, (3, 4)), view_of(dtype, (4,))
        for function in (lambda a, b: a * b, lambda a, b: a / b, lambda a, b: np.exp(a) + b,
                         lambda a, b: abs(a - b), lambda a, b: np.conjugate(a) + b):
            check(f"complex {dtype}", is_close(call(function, x, y), function(x, y), 64))
        check("real", is_same(call(lambda a: a.real, x), x.real))
        check("imag", is_same(call(lambda a: a.imag, x), x.imag))


def check_programs():
    mean = np.array([0.485, 0.456, 0.406], "f4")
    photo = numbers(np.dtype("u1"), (9, 8, 3))
    programs = {
        "normalize": (lambda x: np.transpose((x.astype("f4") / 255 - mean) / 0.5, (2, 0, 1)),
                      [photo]),
        "where": (lambda x, y: np.where(x > y, x, 0), [photo, photo[::-1]]),
        "where of a row": (lambda x, y: np.where(x[0] > 3, y, x), [photo, photo[:, ::-1]]),
        "clip": (lambda x: np.clip(x, 10, 200), [photo]),
        "clip below": (lambda x: np.clip(x, 10, None), [photo]),
        "clip above": (lambda x: np.clip(x, None, 200), [photo]),
        "concatenate": (lambda x, y: np.concatenate([x, y, x], axis=1), [photo, photo[:, :2]]),
        "reshape": (lambda x: x.reshape(3, -1).T, [photo]),
        "broadcast_to": (lambda x: np.broadcast_to(x, (2, 4, 3)), [photo[0, :1]]),
        "number first": (lambda x: 1 - x, [photo]),
        "array first": (lambda x: mean - x, [photo.astype("f4")]),
        "bits": (lambda x: ~(x & 15) << 1, [photo]),
    }
    for name, (function, arrays) in programs.items():
        for stream in (False, True):
            answer = client.compute(function, *arrays, stream=stream)
            check(name, is_same(answer, function(*arrays)))
    both = client.compute(lambda x, y: (x, x + y, y), photo, photo, order="F")
    check("three results", len(both) == 3 and all(
        is_same(a, e) and a.flags.f_contiguous for a, e in zip(both, (photo, photo + photo, photo))))
    for _ in range(60):
        array = view_of(pick(ALL), random_shape(int(rng.integers(1, 4))))
        key = [pick([slice(None), slice(1, None), slice(None, None, -1), slice(4, 0, -2),
                     slice(None, None, 3), slice(2, 2), slice(-1, -9, -3)])
               if extent == 0 or rng.random() < 0.8 else int(rng.integers(-extent, extent))
               for extent in array.shape]
        key = pick([tuple(key), (*key[:-1], Ellipsis), (None, *key), (Ellipsis, None, key[-1])])
        check(f"{array.shape}[{key}]", is_same(call(lambda x: x[key], array), array[key]))


def check_bf16_file():
    """What ml_dtypes needs to be told of a .npy file."""
    array = numbers(BF16, (3, 4))
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    loaded = np.load(file)
    check("bf16 is loaded as <V2", loaded.dtype == np.dtype("V2"))
    check("and viewed", is_same(client.relayout(loaded.view(BF16)), array))
    written = subprocess.run([TOOL, "convert", "-", "--to", "bf16", "-o", "-"],
                             input=npy(array.astype("f4")), capture_output=True, check=True)
    check("the tool's bf16", is_same(np.load(io.BytesIO(written.stdout)).view(BF16), array, bits=False))


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def check_refusals():
    x, y = np.zeros((2, 3), "f4"), np.zeros((2, 3), "i4")

    def refused(what, error, text, function, *arguments, **options):
        try:
            function(*arguments, **options)
        except error as raised:
            check(f"{what}: {raised}", text in str(raised))
            return raised
        check(f"{what}: no error", False)
        return None

    for stream, root in ((False, "spec"), (True, "begin")):
        error = refused("two types", sc.StridecastError, "f32[2,3] and s32[2,3]",
                        client.compute, lambda a, b: a + b, x, y, stream=stream)
        check("code", error and error.code == grpc.StatusCode.INVALID_ARGUMENT)
        check("field", error and error.field == f"{root}.instructions[0]")
        check("request", error and error.request_id)
    error = refused("bad shape", sc.StridecastError, "reshape", client.compute,
                    lambda a: a.reshape(4, 2), x)
    check("its field", error and "instructions[0]" in error.field)
    refused("not on integers", sc.StridecastError, "EXP", client.compute, np.exp, y)
    refused("rank", sc.StridecastError, "17", client.relayout, np.zeros((1,) * 17, "f4"))
    refused("deadline", sc.StridecastError, "DEADLINE_EXCEEDED", client.relayout,
            np.zeros(1 << 22, "f4"), timeout=1e-5)
    refused("shapes", ValueError, "mismatch", client.compute, lambda a, b: a + b, x, x[:, :2])
    refused("half an integer", TypeError, "astype", client.compute, lambda a: a * 0.5, y)
    refused("too great", OverflowError, "300", client.compute, lambda a: a + 300, y.astype("u1"))
    refused("integers by /", TypeError, "//", client.compute, lambda a: a / 2, y)
    refused("unknown function", TypeError, "sinc", client.compute, np.sinc, x)
    refused("unknown ufunc", TypeError, "spacing", client.compute, np.spacing, x)
    for what, function in {
            "if": lambda a: a if a > 0 else -a, "chain": lambda a: 0 < a < 3,
            "max": lambda a: max(a, 1), "and": lambda a: a and a, "not": lambda a: not a,
            "in": lambda a: 3 in a}.items():
        refused(what, TypeError, "np.where", client.compute, function, x)
    refused("elements where", TypeError, "np.where", client.compute, lambda a: a[a > 3], x)
    refused("a list", TypeError, "list is no array", client.compute, lambda a: [a, a], x)
    refused("nothing", TypeError, "NoneType is no array", client.compute, lambda a: None, x)
    refused("text", TypeError, "element type", client.relayout, np.array(["a"]))
    refused("a token in the open", ValueError, "TLS", sc.connect, "127.0.0.1:1", token="x")
    refused("nobody there", sc.StridecastError, "UNAVAILABLE", sc.connect("127.0.0.1:1").info)
    refused("not our certificates", sc.StridecastError, "UNAVAILABLE",
            sc.connect(os.environ["STRIDECAST_SERVER"], tls=True).info, timeout=5)


def check_readme():
    """The code of the example's README.md, as written there."""
    path = pathlib.Path(sc.__file__).parents[1] / "README.md"
    code = re.search("```python\n(.*?)```", path.read_text(), re.DOTALL)[1]
    address = repr(os.environ["STRIDECAST_SERVER"])
    code, count = re.subn('"127.0.0.1:50051"', address, code)
    a = np.ones((4, 6))
    names = {"array": a, "a": a, "b": a, "mean": np.float32(1), "deviation": np.float32(2),
             "batch": numbers(np.dtype("u1"), (2, 4, 5, 3))}
    exec(code, names)
    check("README.md", count == 1 and "normalize" in names)


def check_streams():
    """100 MB, which no message holds."""
    x = np.arange(26_214_400, dtype="f4").reshape(640, -1)
    check("stream x+1", is_same(client.compute(lambda a: a + 1, x), x + 1))
    images = (x.view("u1")[:, ::-1]).reshape(64, 640, 640, 4)
    planes = client.compute(lambda a: np.transpose(a, (0, 3, 1, 2)), images)
    check("stream NHWC to NCHW", is_same(planes, images.transpose(0, 3, 1, 2)))
    check("two streamed operands", is_same(client.compute(lambda a, b: a * b, x, x + 1), x * (x + 1)))
    # Of different sizes, one of them read backwards: held or at one pace.
    small = np.arange(640, dtype="f4")[::-1]
    both = client.compute(lambda a, b, c: (a + b[:, None], a - c), x[::-1], small, x)
    check("operands of one stream", is_same(both[0], x[::-1] + small[:, None]) and
          is_same(both[1], x[::-1] - x))


assert client.info().version
warnings.simplefilter("ignore")
with np.errstate(all="ignore"):
    check_relayout()
    check_kinds_of_arrays()
    check_copies()
    check_conversions()
    check_arithmetic()
    check_functions()
    check_programs()
    check_bf16_file()
    check_refusals()
    check_readme()
    check_streams()
client.close()
print(f"{checked} checks, {failures} failures, NumPy {np.__version__}, seed {SEED}")
sys.exit(failures > 0 or checked < 1500)
