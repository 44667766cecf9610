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


class Rival:
    """A library, with its own arrays of a work's inputs and result."""

    def __init__(self, name, module):
        self.name = name
        self.module = module

    def bind(self, work):
        """A call without arguments; None if the rival has no words for it."""
        import numpy as np
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


def measure(ours, case, work, rivals, seconds):
    """Medians by name, turn by turn; in new memory each round, since some pages
    are twice as fast as others."""
    times = {}
    for _ in range(ROUNDS):
        ours.prepare(case)
        calls = {"stridecast": ours.run}
        for rival in rivals:
            call = rival.bind(work)
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
    # Of the environment, as what it imports.
    from rival_works import all_works
    rivals = find_rivals()
    ours = Stridecast(build())
    works = {case: make for case, make in all_works(ours.cases()).items()
             if arguments.only in case}
    if not works:
        ours.close()
        sys.exit(f"no case contains {arguments.only!r}")
    rows = []
    print("| case | stridecast | " +
          " | ".join(r.name for r in rivals) + " | fastest / ours |")
    print("|---|---" + "|---" * len(rivals) + "|---|")
    for case, make in works.items():
        times = measure(ours, case, make(), rivals, arguments.seconds)
        beside = [t for name, t in times.items() if name != "stridecast"]
        if not beside:
            print(f"{case}: left out: no library to measure it beside",
                  file=sys.stderr)
            continue
        ratio = min(beside) / times["stridecast"]
        rows.append({"case": case, "seconds": times, "ratio": ratio})
        cells = [f"{times[r.name] * 1e3:.1f}" if r.name in times else ""
                 for r in rivals]
        print(f"| {case} | {times['stridecast'] * 1e3:.1f} ms | " +
              " | ".join(cells) + f" | {ratio:.2f} |", flush=True)
    ours.close()
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1))
    if not rows:
        return
    mean = math.exp(statistics.fmean(math.log(r["ratio"]) for r in rows))
    least = min(rows, key=lambda r: r["ratio"])
    print(f"\n{len(rows)} cases; fastest rival / stridecast: geometric mean "
          f"{mean:.2f}, least {least['ratio']:.2f} ({least['case']})")


if __name__ == "__main__":
    main()
