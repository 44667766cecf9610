#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Measures the core and puts tables and a plot into its README.

  tests/bench/report.py [--json DIRECTORY] [--measured]

Runs stridecast_core_bench beside the machine's limits and rivals.py beside other
libraries, writes core.json and rivals.json into the directory (build/bench),
the tables between their markers of core/README.md (limits, pages, rivals), and
core/share_of_limit.png: the share of its limit that each case reaches. Where each
was measured and of which commit stands beside it, in core.machine.txt and
rivals.machine.txt. With --measured the files are taken as they are.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys

import rivals as rivals_bench

REPOSITORY = rivals_bench.REPOSITORY
README = "core/README.md"
PLOT = "core/share_of_limit.png"
# Of geometric means; what is wanted of each case alone stands in cases.cc.
WANTED_MEANS = {"relayout 4 bytes": 0.80, "relayout 8 bytes": 0.80,
                "relayout 2 bytes": 0.70, "relayout 1 byte": 0.55}
WANTED_MEANS |= {f"{group}, 2 x {mib} MiB": 0.55
                 for group in tuple(WANTED_MEANS) for mib in (16, 8)}


# Bytes a second of a limit, below which a case was given pages of the slow kind.
SLOW_PAGES = 60e9


def measure(directory):
    machine_file(directory, "core").write_text(machine())
    subprocess.run(
        [REPOSITORY / "tests" / "bench" / "run.sh", "core", "--json",
         directory / "core.json", "--benchmark_filter=-^operations"],
        check=True, stdout=sys.stderr)
    machine_file(directory, "rivals").write_text(machine())
    subprocess.run(
        [sys.executable, REPOSITORY / "tests" / "bench" / "rivals.py",
         "--json", directory / "rivals.json"], check=True, stdout=sys.stderr)


def mean(ratios):
    return math.exp(statistics.fmean(math.log(r) for r in ratios))


def machine_file(directory, name):
    return directory / f"{name}.machine.txt"


def machine():
    """In the words of lscpu, and what was measured on it."""
    lines = subprocess.run(["lscpu"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    words = dict(line.split(":", 1) for line in lines if ":" in line)
    def word(key):
        return words.get(key, "?").strip()
    commit = subprocess.run(["git", "describe", "--always", "--dirty"],
                            capture_output=True, text=True, check=True,
                            cwd=REPOSITORY).stdout.strip()
    return (f"{word('Model name')}, {word('CPU(s)')} CPUs, "
            f"L2 {word('L2 cache')}, L3 {word('L3 cache')}; commit {commit}")


def groups_of(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    return groups


def limits_table(rows, where):
    lines = [f"Measured on: {where}.", "",
             "| group | cases | geometric mean | wanted | least | wanted | of | "
             "below |",
             "|---|---|---|---|---|---|---|---|"]
    for name, cases in groups_of(rows).items():
        least = min(cases, key=lambda r: r["ratio"])
        wanted = WANTED_MEANS.get(name)
        each = sorted({r["wanted"] for r in cases} - {0})
        below = sum(r["ratio"] < r["wanted"] for r in cases) if each else ""
        lines.append(
            f"| {name} | {len(cases)} | "
            f"{mean(r['ratio'] for r in cases):.3f} | "
            f"{f'{wanted:.2f}' if wanted else ''} | {least['ratio']:.2f} | "
            f"{' / '.join(f'{w:.2f}' for w in each)} | "
            f"{least['case']} | {below} |")
    return "\n".join(lines) + "\n"


def pages_table(rows):
    """Relayouts of memory's size, by the kind of pages, and beside both limits;
    nothing where all pages are of one kind."""
    if len({pages_of(r) for r in rows if is_of_memory(r)}) < 2:
        return ""
    lines = ["| group | pages | cases | geometric mean | beside limits by 4 KiB |",
             "|---|---|---|---|---|"]
    for name, cases in groups_of(rows).items():
        if not is_of_memory(cases[0]):
            continue
        for kind in ("slow", "fast"):
            some = [r for r in cases if kind == pages_of(r)]
            if some:
                piecewise = mean(r["piecewise_seconds"] / r["seconds"]
                                 for r in some)
                lines.append(f"| {name} | {kind} | {len(some)} | "
                             f"{mean(r['ratio'] for r in some):.2f} | "
                             f"{piecewise:.2f} |")
    return "\n".join(lines) + "\n"


def is_of_memory(row):
    return row["group"].startswith("relayout") and "MiB" not in row["group"]


def pages_of(row):
    slow = row["bytes"] / row["baseline_seconds"] < SLOW_PAGES
    return "slow" if slow else "fast"


def rivals_table(rows, where):
    if not rows:
        return f"No other library could be had on: {where}.\n"
    names = sorted({n for r in rows for n in r["seconds"]} - {"stridecast"})
    lines = [f"Measured on: {where}.", "",
             "| case | stridecast, ms | " + " | ".join(names) +
             " | fastest / ours |", "|---|---" + "|---" * len(names) + "|---|"]
    for row in rows:
        seconds = row["seconds"]
        cells = [f"{seconds[n] * 1e3:.1f}" if n in seconds else ""
                 for n in names]
        lines.append(f"| {row['case']} | {seconds['stridecast'] * 1e3:.1f} | " +
                     " | ".join(cells) + f" | {row['ratio']:.2f} |")
    least = min(rows, key=lambda r: r["ratio"])
    lines += ["", f"{len(rows)} cases; fastest rival / stridecast: geometric "
              f"mean {mean(r['ratio'] for r in rows):.2f}, least "
              f"{least['ratio']:.2f} ({least['case']})."]
    return "\n".join(lines) + "\n"


def plot(rows, path):
    """A dot for each case, a line of dots for each group; the least is named."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    groups = groups_of(rows)
    figure, axes = plt.subplots(figsize=(11, 0.5 * len(groups) + 1.2))
    for place, (name, cases) in enumerate(reversed(groups.items())):
        axes.scatter([r["ratio"] for r in cases], [place] * len(cases), s=14,
                     alpha=0.6, color="#3366aa", linewidths=0)
        axes.scatter([mean(r["ratio"] for r in cases)], [place], marker="|",
                     s=160, color="black")
        wanted = [w for w in (r["wanted"] for r in cases) if w > 0]
        if wanted:
            axes.scatter([min(wanted)], [place], marker="^", s=30,
                         color="#cc4433")
        if name in WANTED_MEANS:
            axes.scatter([WANTED_MEANS[name]], [place], marker="|", s=160,
                         color="#cc4433")
        least = min(cases, key=lambda r: r["ratio"])
        axes.annotate(least["case"].removeprefix("relayout "),
                      (least["ratio"], place), (0, -5), fontsize=6,
                      textcoords="offset points", va="top", color="#555555")
    axes.set_yticks(range(len(groups)), list(reversed(groups)))
    axes.set_xlim(0, 1.05 * max(r["ratio"] for r in rows))
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set_xlabel("share of the limit: each case, their geometric mean (|); "
                    "what is wanted of each (red triangle), of the mean (red |)")
    axes.grid(axis="x", alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def replace_section(name, text):
    subprocess.run([REPOSITORY / "tests" / "replace_section.sh", name, README],
                   input=text, text=True, check=True, cwd=REPOSITORY)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=pathlib.Path,
                        default=REPOSITORY / "build" / "bench",
                        help="directory of what is measured (build/bench)")
    parser.add_argument("--measured", action="store_true",
                        help="takes what the directory has")
    arguments = parser.parse_args()
    arguments.json = arguments.json.resolve()
    if not rivals_bench.in_venv():
        rivals_bench.enter_venv(__file__, ["matplotlib"])
    arguments.json.mkdir(parents=True, exist_ok=True)
    if not arguments.measured:
        measure(arguments.json)
    missing = [path for name in ("core", "rivals")
               for path in (arguments.json / f"{name}.json",
                            machine_file(arguments.json, name))
               if not path.exists()]
    if missing:
        sys.exit("not measured: no " + ", ".join(map(str, missing)))
    core = json.loads((arguments.json / "core.json").read_text())
    beside = json.loads((arguments.json / "rivals.json").read_text())
    where = {name: machine_file(arguments.json, name).read_text()
             for name in ("core", "rivals")}
    replace_section("limits", limits_table(core, where["core"]))
    replace_section("pages", pages_table(core))
    replace_section("rivals", rivals_table(beside, where["rivals"]))
    plot(core, REPOSITORY / PLOT)


if __name__ == "__main__":
    main()
