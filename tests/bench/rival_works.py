# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Cases of stridecast_core_bench in the words of its rivals: see rivals.py."""

import numpy as np


# Numbers as the benchmark's own: from 0.5 to 2, or small integers.
def array(shape, dtype="float32", seed=1):
    random = np.random.default_rng(seed)
    if dtype in ("uint8", "int16"):
        return random.integers(0, 200, shape, dtype=dtype)
    if dtype == "int32":
        return random.integers(-99, 99, shape, dtype=dtype)
    return (0.5 + 1.5 * random.random(shape, dtype="float32")).astype(dtype)


def brain_floats(shape, seed=1):
    """The bits of bf16, which NumPy does not know."""
    bits = array(shape, seed=seed).view("uint32") >> 16
    return bits.astype("uint16").view("int16")


class Work:
    """A case in the words of each rival: `inputs` as NumPy arrays, and
    functions of (module, inputs, out); out is None where results are new."""

    def __init__(self, inputs, result, numpy=None, torch=None, jax=None,
                 numexpr=None):
        self.inputs = inputs
        self.result = result  # shape, dtype
        self.functions = {"numpy": numpy, "torch": torch, "jax": jax,
                          "numexpr": numexpr}


def transpose(shape, order, dtype="float32"):
    x = array(shape, dtype)
    result = tuple(shape[d] for d in order)

    def by_numpy(m, i, out):
        m.copyto(out, i[0].transpose(order))

    def by_torch(m, i, out):
        out.copy_(i[0].permute(order))

    def by_jax(m, i, out):
        return m.transpose(i[0], order)

    return Work([x], (result, dtype), by_numpy, by_torch, by_jax)


def copied(shape, view, result, into=None):
    """x[view] to an array of that shape, or to `into` of it."""
    def by_numpy(m, i, out):
        m.copyto(out if into is None else out[into], i[0][view])

    def by_torch(m, i, out):
        (out if into is None else out[into]).copy_(i[0][view])

    def by_jax(m, i, out):
        return i[0][view] + 0

    is_reversed = any(isinstance(s, slice) and (s.step or 1) < 0 for s in view)
    return Work([array(shape)], (result, "float32"), by_numpy,
                None if is_reversed else by_torch,
                by_jax if into is None else None)


def added(shape, view, stored=None):
    """a + b[view], b as it is stored."""
    def by_numpy(m, i, out):
        m.add(i[0], view(i[1]), out=out)

    def by_torch(m, i, out):
        m.add(i[0], view(i[1]), out=out)

    def by_jax(m, i, out):
        return i[0] + view(i[1])

    def by_numexpr(m, i, out):
        m.evaluate("a + b", {"a": i[0], "b": view(i[1])}, out=out)

    inputs = [array(shape), array(stored or shape, seed=2)]
    is_reversed = any(s < 0 for s in view(inputs[1]).strides)
    return Work(inputs, (shape, "float32"), by_numpy,
                None if is_reversed else by_torch, by_jax, by_numexpr)


def layouts():
    n = 16384
    rows = (4 * n, 2304)
    strided_rows = (4 * n, 2400)
    elements = (n * 2304,)
    short_rows = (n * 2304 // 100, 100)
    dense, padded = (n, 48, 48), (n, 50, 64)
    all_of = (slice(None),)
    inside = (slice(None), slice(48), slice(48))
    some = (slice(None), slice(2304))
    second = (slice(None, None, 2),)
    backwards = (slice(None, None, -1),)
    mirrored = (slice(None), slice(None, None, -1))
    return {
        "padded to dense": lambda: copied(padded, inside, dense),
        "dense to padded": lambda: copied(dense, all_of, padded, into=inside),
        "padded to padded":
            lambda: copied(padded, inside, (n, 48, 56), into=inside),
        "strided rows to dense": lambda: copied(strided_rows, some, rows),
        "dense to strided rows":
            lambda: copied(rows, all_of, strided_rows, into=some),
        "column-major to row-major": lambda: transpose(rows[::-1], (1, 0)),
        "row-major to column-major": lambda: transpose(rows, (1, 0)),
        "column-major to column-major":
            lambda: copied(rows[::-1], all_of, rows[::-1]),
        "every second element":
            lambda: copied((2 * n * 2304,), second, elements),
        "reversed": lambda: copied(elements, backwards, elements),
        "reversed rows": lambda: copied(rows, backwards, rows),
        "mirrored rows": lambda: copied(rows, mirrored, rows),
        "ADD of mirrored rows": lambda: added(rows, lambda x: x[mirrored]),
        "ADD of reversed rows": lambda: added(rows, lambda x: x[backwards]),
        "ADD of short reversed rows":
            lambda: added(short_rows, lambda x: x[backwards]),
        "ADD of strided rows":
            lambda: added(rows, lambda x: x[some], strided_rows),
        "ADD of every second element":
            lambda: added(elements, lambda x: x[second], (2 * n * 2304,)),
        "ADD of column-major": lambda: added(rows, lambda x: x.T, rows[::-1]),
    }


def binary(name, shapes, dtype="float32"):
    inputs = [array(s, dtype, k) for k, s in enumerate(shapes)]
    result = np.broadcast_shapes(*shapes)
    symbol = {"add": "a + b", "multiply": "a * b", "power": "a ** b"}[name]

    def by_numpy(m, i, out):
        getattr(m, name)(i[0], i[1], out=out)

    def by_torch(m, i, out):
        getattr(m, {"add": "add", "multiply": "mul", "power": "pow"}[name])(
            i[0], i[1], out=out)

    def by_jax(m, i, out):
        return getattr(m, name)(i[0], i[1])

    def by_numexpr(m, i, out):
        m.evaluate(symbol, {"a": i[0], "b": i[1]}, out=out)

    usable = dtype in ("float32", "float64", "int32")
    return Work(inputs, (result, dtype), by_numpy, by_torch, by_jax,
                by_numexpr if usable else None)


def add_brain_floats(n):
    def by_torch(m, i, out):
        m.add(*(x.view(m.bfloat16) for x in i), out=out.view(m.bfloat16))

    def by_jax(m, i, out):
        return i[0].view("bfloat16") + i[1].view("bfloat16")

    return Work([brain_floats((n,), k) for k in (1, 2)], ((n,), "int16"),
                None, by_torch, by_jax)


def unary(name, n, torch_name=None, numexpr=True):
    def by_numpy(m, i, out):
        getattr(m, name)(i[0], out=out)

    def by_torch(m, i, out):
        getattr(m, torch_name or name)(i[0], out=out)

    def by_jax(m, i, out):
        return getattr(m, name)(i[0])

    def by_numexpr(m, i, out):
        m.evaluate(f"{name}(a)", {"a": i[0]}, out=out)

    return Work([array((n,))], ((n,), "float32"), by_numpy, by_torch,
                by_jax, by_numexpr if numexpr else None)


def logistic(n):
    def by_torch(m, i, out):
        m.sigmoid(i[0], out=out)

    def by_jax(m, i, out):
        return 1 / (1 + m.exp(-i[0]))

    def by_numexpr(m, i, out):
        m.evaluate("1 / (1 + exp(-a))", {"a": i[0]}, out=out)

    return Work([array((n,))], ((n,), "float32"), None, by_torch, by_jax,
                by_numexpr)


def erf(n):
    def by_torch(m, i, out):
        m.erf(i[0], out=out)

    def by_jax(m, i, out):
        import jax
        return jax.scipy.special.erf(i[0])

    return Work([array((n,))], ((n,), "float32"), None, by_torch, by_jax)


def converted(source, result, n, scale=None):
    """In torch by copy_, which converts; numexpr knows no narrow types."""
    def by_numpy(m, i, out):
        x = i[0] if scale is None else i[0] * m.float32(scale)
        m.copyto(out, x, casting="unsafe")

    def by_torch(m, i, out):
        out.copy_(i[0] if scale is None else i[0] * scale)

    def by_jax(m, i, out):
        x = i[0] if scale is None else i[0] * m.float32(scale)
        return x.astype(result)

    return Work([array((n,), source)], ((n,), result), by_numpy, by_torch,
                by_jax)


def mul_add_max(n):
    def by_numpy(m, i, out):
        m.multiply(i[0], i[1], out=out)
        out += i[0]
        m.maximum(out, i[1], out=out)

    def by_torch(m, i, out):
        m.mul(i[0], i[1], out=out)
        m.maximum(out.add_(i[0]), i[1], out=out)

    def by_jax(m, i, out):
        return m.maximum(i[0] * i[1] + i[0], i[1])

    def by_numexpr(m, i, out):
        m.evaluate("where(a*b + a > b, a*b + a, b)", {"a": i[0], "b": i[1]},
                   out=out)

    return Work([array((n,), seed=k) for k in (1, 2)], ((n,), "float32"),
                by_numpy, by_torch, by_jax, by_numexpr)


def mul_plus(n, then_mul=False):
    """x*y + z, and by w."""
    def by_numpy(m, i, out):
        m.multiply(i[0], i[1], out=out)
        out += i[2]
        if then_mul:
            out *= i[3]

    def by_torch(m, i, out):
        m.addcmul(i[2], i[0], i[1], out=out)
        if then_mul:
            out.mul_(i[3])

    def by_jax(m, i, out):
        y = i[0] * i[1] + i[2]
        return y * i[3] if then_mul else y

    def by_numexpr(m, i, out):
        m.evaluate("(a*b + c)*d" if then_mul else "a*b + c",
                   dict(zip("abcd", i)), out=out)

    return Work([array((n,), seed=k) for k in range(1, 5 if then_mul else 4)],
                ((n,), "float32"), by_numpy, by_torch, by_jax, by_numexpr)


def polynomial(n):
    """0.1 + 0.2 x + ... + 0.7 x^6, backwards."""
    def of(x):
        y = x * 0.1 + 0.2
        for k in range(3, 8):
            y = x * y + 0.1 * k
        return y

    def by_numpy(m, i, out):
        m.multiply(i[0], m.float32(0.1), out=out)
        out += m.float32(0.2)
        for k in range(3, 8):
            out *= i[0]
            out += m.float32(0.1 * k)

    def by_torch(m, i, out):
        m.mul(i[0], 0.1, out=out)
        out.add_(0.2)
        for k in range(3, 8):
            out.mul_(i[0]).add_(0.1 * k)

    def by_jax(m, i, out):
        return of(i[0])

    def by_numexpr(m, i, out):
        text = "(x*0.1 + 0.2)"
        for k in range(3, 8):
            text = f"(x*{text} + {0.1 * k:.1f})"
        m.evaluate(text, {"x": i[0]}, out=out, casting="unsafe")

    return Work([array((n,))], ((n,), "float32"), by_numpy, by_torch,
                by_jax, by_numexpr)


def norm(n):
    def by_numpy(m, i, out):
        m.multiply(i[0], i[0], out=out)
        out += i[1] * i[1]
        m.sqrt(out, out=out)
        out *= 2
        out -= 1

    def by_torch(m, i, out):
        m.mul(i[0], i[0], out=out)
        out.addcmul_(i[1], i[1]).sqrt_().mul_(2).sub_(1)

    def by_jax(m, i, out):
        return m.sqrt(i[0] * i[0] + i[1] * i[1]) * 2 - 1

    def by_numexpr(m, i, out):
        m.evaluate("sqrt(a*a + b*b)*2 - 1", {"a": i[0], "b": i[1]}, out=out)

    return Work([array((n,), seed=k) for k in (1, 2)], ((n,), "float32"),
                by_numpy, by_torch, by_jax, by_numexpr)


def a_plus_transpose(side):
    def by_numpy(m, i, out):
        m.add(i[0], i[0].T, out=out)

    def by_torch(m, i, out):
        m.add(i[0], i[0].T, out=out)

    def by_jax(m, i, out):
        return i[0] + i[0].T

    def by_numexpr(m, i, out):
        m.evaluate("a + b", {"a": i[0], "b": i[0].T}, out=out)

    return Work([array((side, side))], ((side, side), "float32"), by_numpy,
                by_torch, by_jax, by_numexpr)


def scaled_to_nhwc(shape):
    n, c, h, w = shape

    def by_numpy(m, i, out):
        m.multiply(i[0].transpose(0, 2, 3, 1), i[1], out=out)

    def by_torch(m, i, out):
        m.mul(i[0].permute(0, 2, 3, 1), i[1], out=out)

    def by_jax(m, i, out):
        return m.transpose(i[0], (0, 2, 3, 1)) * i[1]

    return Work([array(shape), array((c,), seed=2)],
                ((n, h, w, c), "float32"), by_numpy, by_torch, by_jax)


def image(count, result="float32"):
    """NumPy has no bf16; torch's result is a view of int16."""
    shape = (count, 224, 224, 3)

    def by_numpy(m, i, out):
        picture = (i[0] / m.float32(255) - i[1]) / i[2]
        m.copyto(out, picture.transpose(0, 3, 1, 2), casting="unsafe")

    def by_torch(m, i, out):
        picture = i[0].to(m.float32).div_(255).sub_(i[1]).div_(i[2])
        if result == "bfloat16":
            out = out.view(m.bfloat16)
        out.copy_(picture.permute(0, 3, 1, 2))

    def by_jax(m, i, out):
        picture = (i[0].astype(m.float32) / 255 - i[1]) / i[2]
        return m.transpose(picture, (0, 3, 1, 2)).astype(result)

    is_bf16 = result == "bfloat16"
    return Work([array(shape, "uint8"), array((3,)),
                 array((3,), seed=2)],
                ((count, 3, 224, 224), "int16" if is_bf16 else result),
                None if is_bf16 else by_numpy, by_torch, by_jax)


def image_back(count, source="float32"):
    shape = (count, 3, 224, 224)
    is_bf16 = source == "bfloat16"

    def by_numpy(m, i, out):
        x = i[0].astype(m.float32)
        picture = (x * i[2] + i[1]) * m.float32(255)
        m.copyto(out, picture.transpose(0, 2, 3, 1), casting="unsafe")

    def by_torch(m, i, out):
        x = i[0].view(m.bfloat16) if is_bf16 else i[0]
        picture = x.to(m.float32).mul(i[2]).add_(i[1]).mul_(255)
        out.copy_(picture.permute(0, 2, 3, 1))

    def by_jax(m, i, out):
        x = i[0].view("bfloat16") if is_bf16 else i[0]
        picture = (x.astype(m.float32) * i[2] + i[1]) * 255
        return m.transpose(picture, (0, 2, 3, 1)).astype(m.uint8)

    if is_bf16:
        x = brain_floats(shape)
    else:
        x = array(shape, source) * np.dtype(source).type(0.25)
    channels = [array((3, 1, 1), seed=k) * np.float32(0.25) for k in (2, 3)]
    return Work([x, *channels], ((count, 224, 224, 3), "uint8"),
                None if is_bf16 else by_numpy, by_torch, by_jax)


def shape_of(case):
    """Of a relayout: dtype, shape, order."""
    kind, rest = case.removeprefix("relayout ").split("[", 1)
    shape, order = rest.split("] by ")
    dtype = {"f32": "float32", "f64": "float64", "bf16": "int16",
             "u8": "uint8"}[kind]
    return (dtype, tuple(map(int, shape.split(","))),
            tuple(map(int, order.split(","))))


def relayouts(cases):
    """Every sixth of each element size, large and small."""
    names = [c for c in cases if c.startswith("relayout ")]
    for i, case in enumerate(names):
        # Twelve cases of each permutation follow each other.
        if (i // 12 + i % 12) % 6 != 0:
            continue
        dtype, shape, order = shape_of(case)
        yield case, lambda s=shape, o=order, d=dtype: transpose(s, o, d)


def other_works():
    n = 40 << 20
    nchw = (64, 256, 49, 50)
    nhwc = (256, 224, 225, 3)
    return {
        "ADD f32": lambda: binary("add", [(n,), (n,)]),
        "ADD f64": lambda: binary("add", [(n // 2,)] * 2, "float64"),
        "ADD s32": lambda: binary("add", [(n,)] * 2, "int32"),
        "ADD bf16": lambda: add_brain_floats(2 * n),
        "ADD u8": lambda: binary("add", [(4 * n,)] * 2, "uint8"),
        "SQRT f32": lambda: unary("sqrt", n),
        **{f"bias along dimension {d} of f32 NCHW":
               lambda d=d: binary("add", [
                   nchw, (nchw[d],) + (1,) * (3 - d)]) for d in range(4)},
        "bias along 3 channels of f32 NHWC":
            lambda: binary("add", [nhwc, (3,)]),
        "outer product f32":
            lambda: binary("multiply", [(8192, 1), (9216,)]),
        "a + transpose(a) f32": lambda: a_plus_transpose(4096),
        "f32 NCHW * scale to NHWC": lambda: scaled_to_nhwc(nchw),
        "scalar operand f32": lambda: binary("multiply", [(n,), ()]),
        "u8 NHWC to normalised f32 NCHW": lambda: image(32),
        "u8 NHWC to normalised f16 NCHW": lambda: image(32, "float16"),
        "u8 NHWC to normalised bf16 NCHW": lambda: image(32, "bfloat16"),
        "normalised f32 NCHW to u8 NHWC": lambda: image_back(32),
        "normalised f16 NCHW to u8 NHWC":
            lambda: image_back(32, "float16"),
        "normalised bf16 NCHW to u8 NHWC":
            lambda: image_back(32, "bfloat16"),
        "CONVERT u8 to f32": lambda: converted("uint8", "float32", 56 << 20),
        "x*255 to u8 f32":
            lambda: converted("float32", "uint8", 56 << 20, scale=100),
        "max(x*y + x, y) f32": lambda: mul_add_max(n),
        "x*y + z f32": lambda: mul_plus(n),
        "(x*y + z)*w f32": lambda: mul_plus(n, then_mul=True),
        "polynomial of degree 6 f32": lambda: polynomial(n),
        "sqrt(x*x + y*y)*2 - 1 f32": lambda: norm(n),
        "EXP f32": lambda: unary("exp", n),
        "LOG f32": lambda: unary("log", n),
        "SIN f32": lambda: unary("sin", n),
        "TANH f32": lambda: unary("tanh", n),
        "LOGISTIC f32": lambda: logistic(n),
        "ERF f32": lambda: erf(n),
        "POWER f32": lambda: binary("power", [(n,), (n,)]),
    }


def all_works(cases):
    """What makes the work of each case that rivals know, of `cases`."""
    return {**dict(relayouts(cases)), **layouts(), **other_works()}
