#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Random expressions by the tool's eval and by NumPy. The text is the same for
both: Python's own parser reads it, names being NumPy's functions and arrays.
Compared bit by bit, NaN apart (which has one form here), where the contract
says so: arithmetic, comparisons, selections, casts, roots and roundings. Other
functions: at most ULPS units in the last place apart, NumPy's own error
included. Run by tool_numpy_test.sh, with a server at STRIDECAST_SERVER.
Usage: tool_eval_numpy_test.py TOOL [SEED]"""

import io
import random
import re
import subprocess
import sys

import numpy as np

TOOL = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 20266
ULPS = 5
FLOATS = {"f16": "f2", "f32": "f4", "f64": "f8"}
INTEGERS = {"s8": "i1", "s16": "i2", "s32": "i4", "s64": "i8",
            "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8"}
COMPLEX = {"c64": "c8", "c128": "c16"}
TYPES = {"pred": "?", **FLOATS, **INTEGERS, **COMPLEX}
chance = random.Random(SEED)
numbers = np.random.default_rng(SEED)
checked = failures = 0


def maximum(x, y):
    """NumPy's, but 0 is greater than -0."""
    return np.where((x == 0) & (y == 0), x + y, np.maximum(x, y))


def minimum(x, y):
    if np.asarray(x).dtype.kind != "f":
        return np.minimum(x, y)
    return -maximum(-x, -y)


def difference_square(x, y):
    """Of f16 in f32, rounded once."""
    dtype = np.asarray(x).dtype
    x, y = (np.asarray(a).astype("f4") if dtype == "f2" else a for a in (x, y))
    return np.square(x - y).astype(dtype)


def cast(code):
    """NumPy's, but floats saturate where NumPy's integers are undefined."""
    def convert(x):
        x, dtype = np.asarray(x), np.dtype(code)
        if x.dtype.kind != "f" or dtype.kind not in "iu":
            return x.astype(dtype)
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        wide = np.trunc(np.where(np.isnan(x), 0, x.astype("f8")))
        inside = (wide > low) & (wide < float(high + 1))
        return np.where(inside, np.where(inside, wide, 0).astype(dtype),
                        np.where(wide > 0, dtype.type(high), dtype.type(low)))
    return convert


def to_bf16_and_back(x):
    bits = np.asarray(x, "f4").view("u4").astype("u8")
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype("u4")
    return np.where(np.isnan(x), np.float32(np.nan), rounded.view("f4"))


def axes_of(arguments):
    """Numbers, or the tuple that a word of letters stands for."""
    return arguments[0] if isinstance(arguments[0], tuple) else arguments


FUNCTIONS = {
    **{name: cast(code) for name, code in TYPES.items()},
    "max": maximum, "min": minimum, "where": np.where,
    "clamp": lambda low, x, high: minimum(maximum(x, low), high),
    "mod": np.mod, "remainder": np.fmod, "floor_divide": np.floor_divide,
    "difference_square": difference_square,
    "transpose": lambda x, *axes: np.transpose(x, axes_of(axes)),
    "reverse": lambda x, *axes: np.flip(x, axes_of(axes)),
    "reshape": lambda x, *shape: np.reshape(x, shape),
    "f32_of_bf16": to_bf16_and_back,
    **{name: getattr(np, name) for name in (
        "abs", "sqrt", "floor", "ceil", "trunc", "rint", "round", "square", "isnan", "isinf",
        "isfinite", "copysign", "exp", "log", "expm1", "log1p", "sin", "cos", "tanh", "cbrt",
        "hypot", "real", "imag", "conj")}}
ROUNDED = ("sqrt", "floor", "ceil", "trunc", "rint", "round")
TESTS = ("isnan", "isinf", "isfinite")
CLOSE = ("exp", "log", "expm1", "log1p", "sin", "cos", "tanh", "cbrt", "hypot")


def array_of(dtype, shape):
    """A view of that shape within a greater array: steps, also backwards."""
    steps = [chance.choice([1, 1, 2, -1, -2]) for _ in shape]
    margin = [extent * abs(step) for extent, step in zip(shape, steps)]
    if dtype.kind == "b":
        array = numbers.integers(0, 2, margin).astype(bool)
    elif dtype.kind in "iu":
        bits = numbers.bytes(int(np.prod(margin)) * dtype.itemsize)
        array = np.frombuffer(bits, dtype).reshape(margin)
    else:
        array = numbers.standard_normal(margin) * 10.0 ** numbers.integers(-2, 3, margin)
        if dtype.kind == "c":
            array = array + 1j * numbers.standard_normal(margin)
        else:
            special = numbers.choice([np.nan, np.inf, 0.0, -0.0, 0.5, -1.5, 2.5], margin)
            array = np.where(numbers.random(margin) < 0.3, special, array)
        array = array.astype(dtype)
    return array[tuple(slice(None, None, step) for step in steps)]


def file_of(name, array):
    """The tool's argument for it: .npy of both orders, or raw in any order."""
    if chance.random() < 0.5:
        np.save(f"{name}.npy", chance.choice([np.ascontiguousarray, np.asfortranarray])(array)
                if array.ndim else array)
        return f"{name}.npy"
    slowest_first = chance.sample(range(array.ndim), array.ndim)
    with open(f"{name}.raw", "wb") as file:
        file.write(array.transpose(slowest_first).tobytes())
    kind = next(t for t, code in TYPES.items() if np.dtype(code) == array.dtype)
    extents = ",".join(map(str, array.shape))
    order = ",".join(map(str, slowest_first[::-1]))
    return f"{name}.raw:{kind}[{extents}]" + (f"{{{order}}}" if array.ndim else "")


def is_same(answer, expected, ulps):
    if answer.dtype != expected.dtype or answer.shape != expected.shape:
        return False
    if expected.dtype.kind == "c":
        return all(is_same(part(answer), part(expected), ulps) for part in (np.real, np.imag))
    if expected.dtype.kind != "f":
        return np.array_equal(answer, expected)
    nan = np.isnan(expected)
    signed = f"i{expected.dtype.itemsize}"
    near = np.abs(np.where(nan, 0, answer).astype("f8") - np.where(nan, 0, expected)) <= (
        ulps * np.spacing(np.abs(np.where(np.isfinite(expected), expected, 0))))
    equal = np.ascontiguousarray(answer).view(signed) == np.ascontiguousarray(expected).view(signed)
    return np.array_equal(np.isnan(answer), nan) and bool(
        np.all(nan | equal | (near & (ulps > 0))))


def evaluate(text, arrays, letters=None, ulps=0, names=None):
    """`names`: the arrays as Python's side has them, if not as they are."""
    global checked, failures
    checked += 1
    operands = [f"{name}={file_of(name, array)}" + (f"@{letters[name]}" if letters else "")
                for name, array in arrays.items()]
    column_major = chance.random() < 0.3
    layout = ["--result-layout", "column-major"] if column_major else []
    expected = np.asarray(eval(text, dict(FUNCTIONS), names or arrays))
    # Behind "--" a minus begins no flag.
    done = subprocess.run([TOOL, "eval", *layout, "-o", "-", "--", text, *operands],
                          capture_output=True)
    good = done.returncode == 0
    if good:
        answer = np.load(io.BytesIO(done.stdout))
        good = is_same(answer, expected, ulps) and (
            not column_major or answer.flags.f_contiguous)
    if not good:
        failures += 1
        shapes = {name: f"{array.dtype}{list(array.shape)}" for name, array in arrays.items()}
        print(f"FAILED (seed {SEED}): {text}\n  {shapes} {layout} {done.stderr.decode()}")
        if done.returncode == 0:
            print(f"  {answer.dtype}{list(answer.shape)}, not {expected.dtype}"
                  f"{list(expected.shape)}:\n{answer}\n{expected}")


class Maker:
    """Texts of a type: `kind` has the operands x, y and z, `whole` k and m, pred p."""

    def __init__(self, kind, whole):
        self.kind, self.whole = kind, whole
        self.leaves = {kind: ["x", "y", "z"], whole: ["k", "m"], "pred": ["p"]}

    def make(self, kind, depth):
        if depth == 0:
            return chance.choice(self.leaves[kind])
        depth -= 1
        a, p = self.make(kind, depth), self.make("pred", depth)
        b = next(text for text in iter(lambda: self.make(kind, depth), "")
                 if text != a or kind == "pred")
        if kind == "pred":
            return self.pred(p, b, depth)
        own = self.of_floats if kind in FLOATS else self.of_integers
        groups = [[f"{a} {op} {b}" for op in "+-*"], own(kind, a, b), own(kind, a, b),
                  self.of_numbers(kind, a, b, p), self.casts(kind, depth)]
        return chance.choice(chance.choice(groups))

    def pred(self, p, q, depth):
        kind = chance.choice([self.kind, self.whole])
        a, b = self.make(kind, depth), self.make(kind, depth)
        compared = [f"({a} {op} {b})" for op in ("==", "!=", "<", "<=", ">", ">=")]
        tests = [f"{name}({self.make(self.kind, depth)})" for name in TESTS
                 if self.kind in FLOATS]
        return chance.choice(chance.choice([
            compared, tests or compared, [f"({p} {op} {q})" for op in "&|^"],
            [f"~({p})", f"pred({a})"]]))

    def casts(self, kind, depth):
        other = self.whole if kind == self.kind else self.kind
        return [f"{kind}({self.make(of, depth)})" for of in (other, other, "pred")]

    @staticmethod
    def of_numbers(kind, a, b, p):
        return [f"-{a}", f"({a} - {b})", f"(({a}) * 3 - 2)", f"where({p}, {a}, {b})",
                f"max({a}, {b})", f"min({a}, {b})", f"clamp({a}, {b}, {kind}(7))",
                f"abs({a})", f"square({a})", f"difference_square({a}, {b})"]

    @staticmethod
    def of_floats(kind, a, b):
        return [f"{a} / ({b})", f"{a} / {kind}(0.3)", f"(({a}) / 255)",
                *[f"{name}({a})" for name in ROUNDED],
                *[f"{name}({a}, {b})" for name in ("mod", "remainder", "floor_divide")],
                f"copysign({a}, y)"]  # a NaN that was computed has another sign in NumPy

    @staticmethod
    def of_integers(kind, a, b):
        divisor = f"max({b}, {kind}(1))"  # by 0, and MIN by -1, is another
        return [f"({a} & {b})", f"({a} | {b})", f"({a} ^ {b})", f"~({a})", f"({a}) ** 3",
                f"{a} // {divisor}", f"mod({a}, {divisor})", f"remainder({a}, {divisor})"]


def random_shape(rank):
    return [chance.choice([0, 1]) if chance.random() < 0.1 else chance.randint(2, 6)
            for _ in range(rank)]


def partner_of(shape):
    """A shape that NumPy broadcasts with this one."""
    other = [1 if chance.random() < 0.2 else extent for extent in shape]
    # Of rank 1 at least: a number beside NumPy 1's scalars makes them f64.
    return other[chance.choice([0, 0, chance.randrange(len(other))]):]


def evaluate_any(text, kind, whole, rank):
    """Operands by NumPy's rule of broadcasting; `text` uses some of them."""
    shape = random_shape(rank)
    types = {"x": kind, "y": kind, "z": kind, "k": whole, "m": whole, "p": "pred"}
    used = [name for name in types if re.search(rf"\b{name}\b", text)]
    evaluate(text, {name: array_of(np.dtype(TYPES[types[name]]),
                                   shape if name == "x" else partner_of(shape))
                    for name in used})


def check_operations():
    """Each by itself, of each type."""
    for kind in [*FLOATS, *INTEGERS]:
        whole = next(name for name in INTEGERS if name != kind)
        own = Maker.of_floats if kind in FLOATS else Maker.of_integers
        for text in [*[f"x {op} y" for op in ("+", "-", "*", "==", "!=", "<", "<=", ">", ">=")],
                     *Maker.of_numbers(kind, "x", "y", "p"), *own(kind, "x", "y"),
                     *[f"{name}(x)" for name in (TESTS if kind in FLOATS else ())],
                     *[f"{name}(x)" for name in TYPES if name not in COMPLEX]]:
            evaluate_any(text, kind, whole, 2)


def check_random():
    for _ in range(120):
        kind = chance.choice([*FLOATS, *FLOATS, *INTEGERS])
        whole = chance.choice([name for name in INTEGERS if name != kind])
        result = chance.choice([kind, kind, whole, "pred"])
        text = Maker(kind, whole).make(result, chance.choice([2, 3, 3, 4]))
        evaluate_any(text, kind, whole, chance.randint(1, 4))


def check_letters():
    """Dimensions matched by their letters, whatever their order."""
    for _ in range(40):
        kind = chance.choice([*FLOATS, *INTEGERS])
        rank = chance.randint(1, 4)
        full = "".join(chance.sample("NDHWC", rank))
        extents = dict(zip(full, random_shape(rank)))
        letters = {"x": full, "y": "".join(chance.sample(full, rank)),
                   "v": "".join(chance.sample(full, chance.randint(1, rank)))}
        arrays, aligned = {}, {}
        for name, own in letters.items():
            shape = [1 if name != "x" and chance.random() < 0.2 else extents[c] for c in own]
            arrays[name] = array_of(np.dtype(TYPES[kind]), shape)
            # As NumPy would need it: in x's order, 1 for what is missing.
            present = [own.index(c) for c in full if c in own]
            aligned[name] = arrays[name].transpose(present).reshape(
                [arrays[name].shape[own.index(c)] if c in own else 1 for c in full])
        text = "x"
        for _ in range(chance.randint(1, 4)):
            other = chance.choice(["v", "y", "abs(v)", f"(y * {kind}(3))"])
            text = chance.choice([f"({text} - {other})", f"{text} * {other}",
                                  f"max({text}, {other})",
                                  f"where({text} > {other}, {text}, {other})"])
        if chance.random() < 0.5:
            order = "".join(chance.sample(full, rank))
            letter = chance.choice(full)
            text = f"reverse(transpose({text}, {order}), {letter})"
            aligned[order] = tuple(full.index(c) for c in order)
            aligned[letter] = (order.index(letter),)
        # The tool refuses operands that are not used.
        used = {name: array for name, array in arrays.items()
                if re.search(rf"\b{name}\b", text)}
        evaluate(text, used, letters, names=aligned)


def check_shapes():
    """Views of values, and dimensions counted from the end."""
    for _ in range(20):
        rank = chance.randint(1, 4)
        x = array_of(np.dtype(TYPES[chance.choice([*TYPES])]), random_shape(rank))
        axes = ", ".join(str(axis - rank * chance.randint(0, 1))
                         for axis in chance.sample(range(rank), rank))
        some = ", ".join(str(axis - rank * chance.randint(0, 1))
                         for axis in chance.sample(range(rank), chance.randint(1, rank)))
        text = f"reverse(transpose(x, {axes}), {some})"
        if x.size:
            text = chance.choice([text, f"reshape({text}, {x.shape[0]}, -1)"])
        evaluate(text, {"x": x})


def check_bf16():
    """Rounded on the way through it."""
    for _ in range(5):
        x = array_of(np.dtype("f4"), random_shape(2))
        names = {"x": x, "bf16": to_bf16_and_back}
        evaluate("f32(bf16(x)) + 1", {"x": x}, names=names)


def check_functions():
    """What is rounded once more, and scalars."""
    for name in CLOSE:
        for kind in FLOATS:
            shape = random_shape(chance.randint(0, 3))
            x, y = (array_of(np.dtype(TYPES[kind]), shape) for _ in "xy")
            if name in ("sin", "cos"):
                x = np.where(np.isinf(x), x.dtype.type(1), x)
            evaluate(f"{name}(x, y)" if name == "hypot" else f"{name}(x)", {"x": x} | (
                {"y": y} if name == "hypot" else {}), ulps=ULPS)


def check_complex():
    for kind in COMPLEX:
        for text in ("x + y - x", "-(x - y)", "conj(x) + y", "real(x) * imag(y)", "x != y",
                     "where(x == y, x, y)", f"{kind}(real(x))"):
            shape = random_shape(chance.randint(1, 3))
            evaluate(text, {name: array_of(np.dtype(TYPES[kind]), partner_of(shape))
                            for name in "xy" if name in text})


with np.errstate(all="ignore"):
    check_operations()
    check_random()
    check_letters()
    check_shapes()
    check_bf16()
    check_functions()
    check_complex()
print(f"{checked} expressions, {failures} failures, NumPy {np.__version__}, seed {SEED}")
sys.exit(failures > 0 or checked < 500)
