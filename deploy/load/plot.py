#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Draws latency against load, from the report of ghz.sh.

  plot.py REPORT.json PLOT.svg

Across: calls a second that were answered. Up: ms, logarithmic. A dashed line is
at the knee.
"""

import json
import math
import sys
from html import escape

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 90, 50, 60
SERIES = (("p50_ms", "p50", "#1b6ca8"), ("p90_ms", "p90", "#5b8c2a"),
          ("p99_ms", "p99", "#b5431f"))


def ticks(most):
    """About six round numbers from 0."""
    raw = most / 6
    unit = 10 ** math.floor(math.log10(raw))
    step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= raw)
    return [round(i * step, 6) for i in range(int(most / step) + 1)]


def text(x, y, what, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(what)}</text>'


def line(x1, y1, x2, y2, more):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {more}/>'


def draw(report):
    steps = [r for r in report["results"] if r["loop"] == "open" and "p50_ms" in r]
    if not steps:
        sys.exit("plot.py: no step of the report has an answer")
    most_rate = max(s["rate"] for s in steps) * 1.03
    shown = [s[member] for s in steps for member, _, _ in SERIES]
    low = math.floor(math.log10(max(min(shown), .001)))
    high = max(low + 1, math.ceil(math.log10(max(shown))))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(rate):
        return LEFT + (right - LEFT) * rate / most_rate

    def y(ms):
        share = (math.log10(max(ms, .001)) - low) / (high - low)
        return bottom - (bottom - TOP) * share

    machine = report["environment"]
    title = (f"{report['settings']['OPERATION']} of {report['settings']['SIZE']} B, "
             f"{machine['cpus']} CPUs shared by server and generator")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(LEFT, 24, title, 'font-size="14"'),
    ]
    for rate in ticks(most_rate):
        parts.append(line(x(rate), TOP, x(rate), bottom, 'stroke="#e4e4e4"'))
        parts.append(text(x(rate), bottom + 18, f"{rate:g}", 'text-anchor="middle"'))
    for power in range(low, high + 1):
        parts.append(line(LEFT, y(10**power), right, y(10**power), 'stroke="#e4e4e4"'))
        parts.append(text(LEFT - 8, y(10**power) + 4, f"{10.**power:g}", 'text-anchor="end"'))
    parts.append(text((LEFT + right) / 2, HEIGHT - 16, "calls answered per second",
                      'text-anchor="middle"'))
    parts.append(text(LEFT - 8, TOP - 10, "ms", 'text-anchor="end"'))
    if "offered" in report["summary"]:
        knee = x(report["summary"]["rate"])
        parts.append(line(knee, TOP, knee, bottom, 'stroke="#555" stroke-dasharray="5 4"'))
        parts.append(text(knee, TOP - 6, "knee", 'text-anchor="middle"'))
    for member, name, colour in SERIES:
        points = [(x(s["rate"]), y(s[member])) for s in steps]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" '
                     'stroke-width="2"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>'
                  for a, b in points]
        parts.append(text(right + 8, points[-1][1] + 4, name, f'fill="{colour}"'))
    return "\n".join(parts + ["</svg>", ""])


def main():
    source, target = sys.argv[1:]
    drawing = draw(json.load(open(source, encoding="utf-8")))
    with open(target, "w", encoding="utf-8") as file:
        file.write(drawing)


if __name__ == "__main__":
    main()
