#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""The core beside NumPy, PyTorch, JAX and numexpr, in one run.

  tests/bench/rivals.py [--json FILE] [--only TEXT] [--seconds S]

Each case is run by turns by stridecast_core_bench (--interactive) and by every
rival that can be had, on all CPUs, results into memory that is there already
where the rival can. Medians; a ratio above 1 says that stridecast is faster.
Rivals live in a virtual environment of their own, build/rivals; one that cannot
be installed is left out with a message.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
VENV = REPOSITORY / "build" / "rivals"
RIVALS = ("numpy", "jax", "numexpr", "torch")
INSTALL_SECONDS = 1800
ROUNDS = 3


def in_venv():
    return pathlib.Path(sys.prefix) == VENV


def enter_venv(program, more=()):
    """Starts `program` again in the environment, which is created first; what
    could not be installed is tried again next time."""
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    for name in (*RIVALS, *more):
        if (VENV / f"has_{name}").exists():
            continue
        try:
            done = subprocess.run(
                [python, "-m", "pip", "install", "--quiet", name],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                timeout=INSTALL_SECONDS)
        except subprocess.TimeoutExpired:
            print(f"{name}: not installed in {INSTALL_SECONDS} s",
                  file=sys.stderr)
            continue
        if done.returncode != 0:
            reason = done.stderr.strip().splitlines()
            print(f"{name}: not installed: {reason[-1] if reason else ''}",
                  file=sys.stderr)
            continue
        (VENV / f"has_{name}").touch()
    os.execv(python, [python, program, *sys.argv[1:]])


class Stridecast:
    """stridecast_core_bench, told case by case what to run."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "--interactive"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def cases(self):
        count = int(self.ask("list"))
        return [self.process.stdout.readline().strip() for _ in range(count)]

    def prepare(self, case):
        answer = self.ask("prepare " + case)
        if answer != "ok":
            raise RuntimeError(f"{case}: {answer}")

    def run(self):
        return float(self.ask("run"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


# Numbers as the benchmark's own: from 0.5 to 2, or small integers.
def array(np, shape, dtype="float32", seed=1):
    random = np.random.default_rng(seed)
    if dtype in ("uint8", "int16"):
        return random.integers(0, 200, shape, dtype=dtype)
    if dtype == "int32":
        return random.integers(-99, 99, shape, dtype=dtype)
    return (0.5 + 1.5 * random.random(shape, dtype="float32")).astype(dtype)


def brain_floats(np, shape, seed=1):
    """The bits of bf16, which NumPy does not know."""
    bits = array(np, shape, seed=seed).view("uint32") >> 16
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


def transpose(np, shape, order, dtype="float32"):
    x = array(np, shape, dtype)
    result = tuple(shape[d] for d in order)

    def by_numpy(m, i, out):
        m.copyto(out, i[0].transpose(order))

    def by_torch(m, i, out):
        out.copy_(i[0].permute(order))

    def by_jax(m, i, out):
        return m.transpose(i[0], order)

    return Work([x], (result, dtype), by_numpy, by_torch, by_jax)


def copied(np, shape, view, result, into=None):
    """x[view] to an array of that shape, or to `into` of it."""
    def by_numpy(m, i, out):
        m.copyto(out if into is None else out[into], i[0][view])

    def by_torch(m, i, out):
        (out if into is None else out[into]).copy_(i[0][view])

    def by_jax(m, i, out):
        return i[0][view] + 0

    is_reversed = any(isinstance(s, slice) and (s.step or 1) < 0 for s in view)
    return Work([array(np, shape)], (result, "float32"), by_numpy,
                None if is_reversed else by_torch,
                by_jax if into is None else None)


def layouts(np):
    n = 16384
    dense, padded = (n, 48, 48), (n, 50, 64)
    all_of = (slice(None),)
    inside = (slice(None), slice(48), slice(48))
    rows = slice(2304)
    return {
        "padded to dense": lambda: copied(np, padded, inside, dense),
        "dense to padded":
            lambda: copied(np, dense, all_of, padded, into=inside),
        "padded to padded":
            lambda: copied(np, padded, inside, (n, 48, 56), into=inside),
        "strided rows to dense":
            lambda: copied(np, (4 * n, 2400), (slice(None), rows),
                           (4 * n, 2304)),
        "dense to strided rows":
            lambda: copied(np, (4 * n, 2304), all_of, (4 * n, 2400),
                           into=(slice(None), rows)),
        "column-major to row-major":
            lambda: transpose(np, (2304, 4 * n), (1, 0)),
        "row-major to column-major":
            lambda: transpose(np, (4 * n, 2304), (1, 0)),
        "every second element":
            lambda: copied(np, (2 * n * 2304,), (slice(None, None, 2),),
                           (n * 2304,)),
        "reversed":
            lambda: copied(np, (n * 2304,), (slice(None, None, -1),),
                           (n * 2304,)),
        "reversed rows":
            lambda: copied(np, (4 * n, 2304), (slice(None, None, -1),),
                           (4 * n, 2304)),
    }


def binary(np, name, shapes, dtype="float32"):
    inputs = [array(np, s, dtype, k) for k, s in enumerate(shapes)]
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


def add_brain_floats(np, n):
    def by_torch(m, i, out):
        m.add(*(x.view(m.bfloat16) for x in i), out=out.view(m.bfloat16))

    def by_jax(m, i, out):
        return i[0].view("bfloat16") + i[1].view("bfloat16")

    return Work([brain_floats(np, (n,), k) for k in (1, 2)], ((n,), "int16"),
                None, by_torch, by_jax)


def unary(np, name, n, torch_name=None, numexpr=True):
    def by_numpy(m, i, out):
        getattr(m, name)(i[0], out=out)

    def by_torch(m, i, out):
        getattr(m, torch_name or name)(i[0], out=out)

    def by_jax(m, i, out):
        return getattr(m, name)(i[0])

    def by_numexpr(m, i, out):
        m.evaluate(f"{name}(a)", {"a": i[0]}, out=out)

    return Work([array(np, (n,))], ((n,), "float32"), by_numpy, by_torch,
                by_jax, by_numexpr if numexpr else None)


def logistic(np, n):
    def by_torch(m, i, out):
        m.sigmoid(i[0], out=out)

    def by_jax(m, i, out):
        return 1 / (1 + m.exp(-i[0]))

    def by_numexpr(m, i, out):
        m.evaluate("1 / (1 + exp(-a))", {"a": i[0]}, out=out)

    return Work([array(np, (n,))], ((n,), "float32"), None, by_torch, by_jax,
                by_numexpr)


def erf(np, n):
    def by_torch(m, i, out):
        m.erf(i[0], out=out)

    def by_jax(m, i, out):
        import jax
        return jax.scipy.special.erf(i[0])

    return Work([array(np, (n,))], ((n,), "float32"), None, by_torch, by_jax)


def converted(np, source, result, n, scale=None):
    """In torch by copy_, which converts; numexpr knows no narrow types."""
    def by_numpy(m, i, out):
        x = i[0] if scale is None else i[0] * m.float32(scale)
        m.copyto(out, x, casting="unsafe")

    def by_torch(m, i, out):
        out.copy_(i[0] if scale is None else i[0] * scale)

    def by_jax(m, i, out):
        x = i[0] if scale is None else i[0] * m.float32(scale)
        return x.astype(result)

    return Work([array(np, (n,), source)], ((n,), result), by_numpy, by_torch,
                by_jax)


def mul_add_max(np, n):
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

    return Work([array(np, (n,), seed=k) for k in (1, 2)], ((n,), "float32"),
                by_numpy, by_torch, by_jax, by_numexpr)


def polynomial(np, n):
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

    return Work([array(np, (n,))], ((n,), "float32"), by_numpy, by_torch,
                by_jax, by_numexpr)


def norm(np, n):
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

    return Work([array(np, (n,), seed=k) for k in (1, 2)], ((n,), "float32"),
                by_numpy, by_torch, by_jax, by_numexpr)


def a_plus_transpose(np, side):
    def by_numpy(m, i, out):
        m.add(i[0], i[0].T, out=out)

    def by_torch(m, i, out):
        m.add(i[0], i[0].T, out=out)

    def by_jax(m, i, out):
        return i[0] + i[0].T

    def by_numexpr(m, i, out):
        m.evaluate("a + b", {"a": i[0], "b": i[0].T}, out=out)

    return Work([array(np, (side, side))], ((side, side), "float32"), by_numpy,
                by_torch, by_jax, by_numexpr)


def scaled_to_nhwc(np, shape):
    n, c, h, w = shape

    def by_numpy(m, i, out):
        m.multiply(i[0].transpose(0, 2, 3, 1), i[1], out=out)

    def by_torch(m, i, out):
        m.mul(i[0].permute(0, 2, 3, 1), i[1], out=out)

    def by_jax(m, i, out):
        return m.transpose(i[0], (0, 2, 3, 1)) * i[1]

    return Work([array(np, shape), array(np, (c,), seed=2)],
                ((n, h, w, c), "float32"), by_numpy, by_torch, by_jax)


def image(np, count, result="float32"):
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
    return Work([array(np, shape, "uint8"), array(np, (3,)),
                 array(np, (3,), seed=2)],
                ((count, 3, 224, 224), "int16" if is_bf16 else result),
                None if is_bf16 else by_numpy, by_torch, by_jax)


def image_back(np, count, source="float32"):
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
        x = brain_floats(np, shape)
    else:
        x = array(np, shape, source) * np.dtype(source).type(0.25)
    channels = [array(np, (3, 1, 1), seed=k) * np.float32(0.25) for k in (2, 3)]
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


def relayouts(np, cases):
    """Every fourth of each element size, large and small."""
    names = [c for c in cases if c.startswith("relayout ")]
    for i, case in enumerate(names):
        # Seven cases of each permutation follow each other.
        if (i // 7 + i % 7) % 4 != 0:
            continue
        dtype, shape, order = shape_of(case)
        yield case, lambda s=shape, o=order, d=dtype: transpose(np, s, o, d)


def other_works(np):
    n = 40 << 20
    nchw = (64, 256, 49, 50)
    nhwc = (256, 224, 225, 3)
    return {
        "ADD f32": lambda: binary(np, "add", [(n,), (n,)]),
        "ADD f64": lambda: binary(np, "add", [(n // 2,)] * 2, "float64"),
        "ADD s32": lambda: binary(np, "add", [(n,)] * 2, "int32"),
        "ADD bf16": lambda: add_brain_floats(np, 2 * n),
        "ADD u8": lambda: binary(np, "add", [(4 * n,)] * 2, "uint8"),
        "SQRT f32": lambda: unary(np, "sqrt", n),
        **{f"bias along dimension {d} of f32 NCHW":
               lambda d=d: binary(np, "add", [
                   nchw, (nchw[d],) + (1,) * (3 - d)]) for d in range(4)},
        "bias along 3 channels of f32 NHWC":
            lambda: binary(np, "add", [nhwc, (3,)]),
        "outer product f32":
            lambda: binary(np, "multiply", [(8192, 1), (9216,)]),
        "a + transpose(a) f32": lambda: a_plus_transpose(np, 4096),
        "f32 NCHW * scale to NHWC": lambda: scaled_to_nhwc(np, nchw),
        "scalar operand f32": lambda: binary(np, "multiply", [(n,), ()]),
        "u8 NHWC to normalised f32 NCHW": lambda: image(np, 32),
        "u8 NHWC to normalised f16 NCHW": lambda: image(np, 32, "float16"),
        "u8 NHWC to normalised bf16 NCHW": lambda: image(np, 32, "bfloat16"),
        "normalised f32 NCHW to u8 NHWC": lambda: image_back(np, 32),
        "normalised f16 NCHW to u8 NHWC":
            lambda: image_back(np, 32, "float16"),
        "normalised bf16 NCHW to u8 NHWC":
            lambda: image_back(np, 32, "bfloat16"),
        "CONVERT u8 to f32": lambda: converted(np, "uint8", "float32", 56 << 20),
        "x*255 to u8 f32":
            lambda: converted(np, "float32", "uint8", 56 << 20, scale=100),
        "max(x*y + x, y) f32": lambda: mul_add_max(np, n),
        "polynomial of degree 6 f32": lambda: polynomial(np, n),
        "sqrt(x*x + y*y)*2 - 1 f32": lambda: norm(np, n),
        "EXP f32": lambda: unary(np, "exp", n),
        "LOG f32": lambda: unary(np, "log", n),
        "SIN f32": lambda: unary(np, "sin", n),
        "TANH f32": lambda: unary(np, "tanh", n),
        "LOGISTIC f32": lambda: logistic(np, n),
        "ERF f32": lambda: erf(np, n),
        "POWER f32": lambda: binary(np, "power", [(n,), (n,)]),
    }


class Rival:
    """A library, with its own arrays of a work's inputs and result."""

    def __init__(self, name, module):
        self.name = name
        self.module = module

    def bind(self, work, np):
        """A call without arguments; None if the rival has no words for it."""
        function = work.functions[self.name]
        if function is None:
            return None
        inputs = [np.array(i) for i in work.inputs]
        out = np.zeros(*work.result)
        if self.name == "torch":
            inputs = [self.module.from_numpy(i) for i in inputs]
            out = self.module.from_numpy(out)
        if self.name == "jax":
            import jax
            jitted = jax.jit(lambda *i: function(self.module, i, None))
            inputs = [self.module.asarray(i) for i in inputs]
            return lambda: jitted(*inputs).block_until_ready()
        return lambda: function(self.module, inputs, out)


def find_rivals():
    rivals = []
    for name in RIVALS:
        try:
            module = __import__(name)
        except (ImportError, OSError) as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        if name == "jax":
            module.config.update("jax_enable_x64", True)
            import jax.numpy as module
        rivals.append(Rival(name, module))
    return rivals


def measure(ours, case, work, rivals, np, seconds):
    """Medians by name, turn by turn; in new memory each round, since some pages
    are twice as fast as others."""
    times = {}
    for _ in range(ROUNDS):
        ours.prepare(case)
        calls = {"stridecast": ours.run}
        for rival in rivals:
            call = rival.bind(work, np)
            if call is not None:
                call()  # compiles, faults pages in
                calls[rival.name] = lambda c=call: timed(c)
        start = time.monotonic()
        turns = 0
        while turns < 3 or time.monotonic() - start < seconds / ROUNDS:
            turns += 1
            for name, call in calls.items():
                # Threads of the one before spin a while for more work.
                time.sleep(0.02)
                times.setdefault(name, []).append(call())
    return {name: statistics.median(t) for name, t in times.items()}


def build():
    directory = os.environ.get("STRIDECAST_BUILD_DIR",
                               str(REPOSITORY / "build" / "release"))
    subprocess.run([REPOSITORY / "deploy" / "install-deps.sh",
                    "libbenchmark-dev"], check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--preset", "release", "-B", directory],
                   check=True, cwd=REPOSITORY, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", directory, "--target",
                    "stridecast_core_bench"], check=True, stdout=sys.stderr)
    return f"{directory}/tests/bench/stridecast_core_bench"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="writes an array of measurements")
    parser.add_argument("--only", default="", help="cases that contain this")
    parser.add_argument("--seconds", type=float, default=1.0,
                        help="of each case, at least")
    arguments = parser.parse_args()
    if not in_venv():
        enter_venv(__file__)
    import numpy as np
    rivals = find_rivals()
    ours = Stridecast(build())
    works = dict(relayouts(np, ours.cases()))
    works.update(layouts(np))
    works.update(other_works(np))

    works = {case: make for case, make in works.items()
             if arguments.only in case}
    if not works:
        ours.close()
        sys.exit(f"no case contains {arguments.only!r}")
    rows = []
    print("| case | stridecast | " +
          " | ".join(r.name for r in rivals) + " | fastest / ours |")
    print("|---|---" + "|---" * len(rivals) + "|---|")
    for case, make in works.items():
        times = measure(ours, case, make(), rivals, np, arguments.seconds)
        ratio = min(t for name, t in times.items()
                    if name != "stridecast") / times["stridecast"]
        rows.append({"case": case, "seconds": times, "ratio": ratio})
        cells = [f"{times[r.name] * 1e3:.1f}" if r.name in times else ""
                 for r in rivals]
        print(f"| {case} | {times['stridecast'] * 1e3:.1f} ms | " +
              " | ".join(cells) + f" | {ratio:.2f} |", flush=True)
    ours.close()
    mean = math.exp(statistics.fmean(math.log(r["ratio"]) for r in rows))
    least = min(rows, key=lambda r: r["ratio"])
    print(f"\n{len(rows)} cases; fastest rival / stridecast: geometric mean "
          f"{mean:.2f}, least {least['ratio']:.2f} ({least['case']})")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
