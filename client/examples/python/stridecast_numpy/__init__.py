# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""NumPy arrays through a stridecast server.

    import numpy as np
    import stridecast_numpy as sc

    with sc.connect("127.0.0.1:50051") as client:
        columns = client.relayout(array[::-1, ::2], order="F")
        planes = client.compute(
            lambda x: np.transpose(x.astype("f4") / 255 - mean, (2, 0, 1)), photo)

`client.py` has the calls, `program.py` what a function may say, `tensors.py`
what becomes of an array, `wire.py` where copies are made and where not.
"""

from .client import Client, StridecastError, connect

__all__ = ["Client", "StridecastError", "connect"]
