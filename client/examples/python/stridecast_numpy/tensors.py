# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""ndarray to TensorDesc and memory, and back. Nothing here copies elements, but
for arrays that `describe` names.

Rules:
  (N1) the memory of a view is sent as it lies, from its lowest byte to its
       highest: negative steps, Fortran order, gaps and repetition are strides.
       What lies between the elements travels along
  (N2) unless that is more than twice the elements and 64 KiB: then NumPy packs
       them first, one copy more
  (N3) a result is a view of the reply, read-only; it need not be aligned
       (numpy.require(result, requirements="A") copies if it is not)
"""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np

from .stubs import tensor_pb2

_NAMES = {
    "PRED": np.bool_, "S8": np.int8, "S16": np.int16, "S32": np.int32,
    "S64": np.int64, "U8": np.uint8, "U16": np.uint16, "U32": np.uint32,
    "U64": np.uint64, "F16": np.float16, "BF16": ml_dtypes.bfloat16,
    "F32": np.float32, "F64": np.float64, "C64": np.complex64,
    "C128": np.complex128,
}
_NUMBER_OF = {np.dtype(t): tensor_pb2.DType.Value(n) for n, t in _NAMES.items()}
_DTYPE_OF = {number: dtype for dtype, number in _NUMBER_OF.items()}

# As much is sent without asking how much of it is elements.
_SMALL_BYTES = 64 << 10


def dtype_number(dtype) -> int:
    """The wire's number of an element type. TypeError: it has none."""
    native = np.dtype(dtype).newbyteorder("=")
    if native not in _NUMBER_OF:
        known = ", ".join(str(dtype) for dtype in _NUMBER_OF)
        raise TypeError(f"{native} is not an element type; those are {known}")
    return _NUMBER_OF[native]


def describe(array: np.ndarray) -> tuple[tensor_pb2.TensorDesc, np.ndarray]:
    """What the array is, and its memory: u8, one dimension, the caller's own.
    A copy is made if the array is big-endian, if its strides are not whole
    elements (a field of records may be so), and by (N2)."""
    desc = tensor_pb2.TensorDesc(type=dtype_number(array.dtype),
                                 dimensions=array.shape)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.size == 0:
        return desc, np.empty(0, np.uint8)
    itemsize = array.itemsize
    strides = [stride if extent > 1 else 0
               for stride, extent in zip(array.strides, array.shape)]
    reaches = [stride * (extent - 1) for stride, extent in zip(strides, array.shape)]
    below = -sum(reach for reach in reaches if reach < 0)
    span = below + sum(reach for reach in reaches if reach > 0) + itemsize
    if (any(stride % itemsize for stride in strides) or
            span > max(2 * array.nbytes, _SMALL_BYTES)):
        array = np.ascontiguousarray(array)
    if array.flags.c_contiguous:
        return desc, array.reshape(-1).view(np.uint8)
    desc.strides.strides.extend(stride // itemsize for stride in strides)
    desc.strides.offset = below // itemsize
    # The element at the lowest address, and all bytes from there on.
    lowest = array[tuple(slice(-1, None) if stride < 0 else slice(0, 1)
                         for stride in strides)]
    start = lowest.reshape(1).view(np.uint8)
    return desc, np.lib.stride_tricks.as_strided(start, (span,), (1,), writeable=False)


def view(desc: tensor_pb2.TensorDesc, data) -> np.ndarray:
    """The tensor that `desc` describes, in the memory of `data`."""
    dtype = _DTYPE_OF[desc.type]
    shape = tuple(desc.dimensions)
    strides, offset = _row_major(shape), 0
    if desc.HasField("strides"):
        strides, offset = list(desc.strides.strides), desc.strides.offset
    elif desc.HasField("layout"):
        padded = desc.layout.padded_dimensions or shape
        distance = 1
        for dimension in desc.layout.minor_to_major:
            strides[dimension] = distance
            distance *= padded[dimension]
    if 0 in shape:
        result = np.ndarray(shape, dtype)
    else:
        result = np.ndarray(shape, dtype, data, offset * dtype.itemsize,
                            [stride * dtype.itemsize for stride in strides])
    result.setflags(write=False)
    return result


def _row_major(shape: Sequence[int]) -> list[int]:
    strides, distance = [], 1
    for extent in reversed(shape):
        strides.insert(0, distance)
        distance *= extent
    return strides


def minor_to_major(order, rank: int, dims: str | None) -> list[int]:
    """`order` as Client.compute has it, fastest dimension first."""
    if dims is not None:
        if sorted(dims) != sorted(order) or len(set(dims)) != rank:
            raise ValueError(f"order {order!r} has to arrange the {rank} letters "
                             f"of dims {dims!r}")
        return [dims.index(letter) for letter in reversed(order)]
    if order == "C":
        return list(range(rank))[::-1]
    if order == "F":
        return list(range(rank))
    if isinstance(order, str):
        raise ValueError(f"order {order!r}: letters need dims='NHWC' or the like")
    return list(order)[::-1]
