#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Prints how fast arrays go to a server and back: bytes there plus bytes back,
by the time of the fastest call.

    bench.py [--server S] [--mib 64] [--repeats 7]

--mib: of the operand. Past 64 the unary calls need a server with a greater
--max-message-bytes.
"""

import argparse
import os
import time

import numpy as np

import stridecast_numpy as sc


def best_seconds(function, repeats: int) -> float:
    def once() -> float:
        start = time.perf_counter()
        function()
        return time.perf_counter() - start

    return min(once() for _ in range(repeats))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default=os.environ.get(
        "STRIDECAST_SERVER", "127.0.0.1:50051"))
    parser.add_argument("--mib", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=7)
    flags = parser.parse_args()

    # A little less, so that what goes before them fits into the message, too.
    size = (flags.mib << 20) - 4096
    images = np.zeros(size // 12288 * 12288, "u1").reshape(-1, 64, 64, 3)
    numbers = np.arange(size // 4, dtype="f4")
    jobs = {
        "u8 NHWC to f32 NCHW": (
            lambda x: np.transpose(x.astype("f4"), (0, 3, 1, 2)), images),
        "f32 x + 1": (lambda x: x + 1, numbers),
    }
    with sc.connect(flags.server) as client:
        for name, (function, array) in jobs.items():
            for stream in (False, True):
                result = client.compute(function, array, stream=stream)
                seconds = best_seconds(
                    lambda: client.compute(function, array, stream=stream),
                    flags.repeats)
                moved = array.nbytes + result.nbytes
                print(f"{name:20} {'stream' if stream else 'unary':7}"
                      f"{array.nbytes / 2**20:7.1f} MiB there {result.nbytes / 2**20:7.1f}"
                      f" MiB back {seconds * 1e3:8.1f} ms {moved / seconds / 1e9:6.2f} GB/s")


if __name__ == "__main__":
    main()
