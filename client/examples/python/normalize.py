#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""A batch of pictures, u8 [N,H,W,C], becomes (x / 255 - mean) / deviation as f32
[N,C,H,W], in one call. The function that says so is an ordinary one of NumPy, and
NumPy itself checks the answer, bit by bit.

    normalize.py [SERVER]      default: STRIDECAST_SERVER, 127.0.0.1:50051
"""

import os
import sys

import numpy as np

import stridecast_numpy as sc

MEAN = np.array([0.485, 0.456, 0.406], "f4")
DEVIATION = np.array([0.229, 0.224, 0.225], "f4")


def normalize(images):
    # The model wants dimension 1 to be the channel: a transpose, not a layout.
    return np.transpose((images.astype("f4") / 255 - MEAN) / DEVIATION, (0, 3, 1, 2))


def main() -> int:
    default = os.environ.get("STRIDECAST_SERVER", "127.0.0.1:50051")
    pictures = np.random.default_rng(1).integers(0, 256, (4, 240, 320, 3), "u1")
    # Any view will do: upside down, and every other column.
    batch = pictures[:, ::-1, ::2]
    with sc.connect(sys.argv[1] if len(sys.argv) > 1 else default) as client:
        try:
            planes = client.compute(normalize, batch)
        except sc.StridecastError as error:
            print(f"normalize: {error}", file=sys.stderr)
            return 1
    if not np.array_equal(planes, normalize(batch)):
        print("normalize: NumPy has another answer", file=sys.stderr)
        return 1
    print(f"{batch.dtype} {batch.shape} to {planes.dtype} {planes.shape}: as NumPy has it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
