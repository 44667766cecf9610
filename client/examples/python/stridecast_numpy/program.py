# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Programs written as NumPy: a function is called once with `Value`s in the place
of arrays, and notes what it does with them.

    def normalize(x):
        return np.transpose((x.astype("f4") / 255 - mean) / deviation, (2, 0, 1))

    normalize(photo)                  # NumPy
    client.compute(normalize, photo)  # the server

Values take NumPy's operators, the ufuncs of the tables below, where, clip,
concatenate, transpose, reshape, broadcast_to, basic indexing, .real, .imag, astype.
Broadcasting is NumPy's. Other than in NumPy:
  - two types are not promoted to a third: the server refuses; say astype
  - a Python number takes the type of the value beside it. 0.5 beside integers is
    a TypeError, 300 beside u8 an OverflowError
  - / of integers is a TypeError (NumPy: float64); // is NumPy's
  - integers by 0, negative powers of them and numbers that a type cannot hold
    are what proto/stridecast/v1/program.proto says; maximum orders -0 before 0
Arrays of the function's surroundings become constants: 64 KiB in all.
"""

from __future__ import annotations

import numpy as np

from .stubs import program_pb2, tensor_pb2
from .tensors import describe, dtype_number

_BINARY = {
    "add": "ADD", "subtract": "SUBTRACT", "multiply": "MULTIPLY",
    "divide": "DIVIDE", "true_divide": "DIVIDE", "floor_divide": "FLOOR_DIVIDE",
    "remainder": "FLOOR_MOD", "fmod": "REMAINDER", "power": "POWER",
    "maximum": "MAXIMUM", "minimum": "MINIMUM", "fmax": "FMAX", "fmin": "FMIN",
    "arctan2": "ATAN2", "hypot": "HYPOT", "copysign": "COPYSIGN",
    "nextafter": "NEXTAFTER", "logaddexp": "LOGADDEXP", "heaviside": "HEAVISIDE",
    "gcd": "GCD", "lcm": "LCM", "bitwise_and": "AND", "bitwise_or": "OR",
    "bitwise_xor": "XOR", "left_shift": "SHIFT_LEFT",
    "right_shift": "SHIFT_RIGHT_ARITHMETIC",  # unsigned: LOGICAL
}
_COMPARE = {"equal": "EQ", "not_equal": "NE", "greater_equal": "GE",
            "greater": "GT", "less_equal": "LE", "less": "LT"}
_UNARY = {
    "positive": "IDENTITY", "negative": "NEGATE", "absolute": "ABS",
    "fabs": "ABS", "sign": "SIGN", "invert": "NOT", "ceil": "CEIL",
    "floor": "FLOOR", "trunc": "TRUNC", "rint": "ROUND_NEAREST_EVEN",
    "exp": "EXP", "expm1": "EXPM1", "exp2": "EXP2", "log": "LOG",
    "log1p": "LOG1P", "log2": "LOG2", "log10": "LOG10", "sqrt": "SQRT",
    "cbrt": "CBRT", "reciprocal": "RECIPROCAL", "square": "SQUARE", "sin": "SIN",
    "cos": "COS", "tan": "TAN", "arcsin": "ASIN", "arccos": "ACOS",
    "arctan": "ATAN", "sinh": "SINH", "cosh": "COSH", "tanh": "TANH",
    "arcsinh": "ASINH", "arccosh": "ACOSH", "arctanh": "ATANH",
    "isfinite": "IS_FINITE", "isnan": "IS_NAN", "isinf": "IS_INF",
    "conjugate": "CONJ",
}
_PYTHON_NUMBERS = {bool: 0, int: 1, float: 2, complex: 3}


def _kind(dtype: np.dtype) -> int:
    """As _PYTHON_NUMBERS has it; ml_dtypes' bfloat16 says "V" of itself."""
    return {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}[dtype.kind]


class Program:
    """A ComputeSpec under construction; `inputs` are its operands."""

    def __init__(self, descs, arrays):
        self.spec = program_pb2.ComputeSpec(operands=descs)
        self.inputs = [Value(self, number, array.dtype.newbyteorder("="), array.shape)
                       for number, array in enumerate(arrays)]

    def append(self, opcode: str, operands, dtype, shape, **attributes) -> Value:
        self.spec.instructions.add(
            opcode=program_pb2.Instruction.Opcode.Value(opcode),
            operands=[operand.number for operand in operands], **attributes)
        number = len(self.inputs) + len(self.spec.instructions) - 1
        return Value(self, number, np.dtype(dtype), tuple(shape))

    def value(self, item, beside: np.dtype) -> Value:
        """A Value as it is, numbers and arrays as constants."""
        if isinstance(item, Value):
            if item.program is not self:
                raise ValueError("a value of another program")
            return item
        if item is None or isinstance(item, (list, dict, set)):
            raise TypeError(f"{type(item).__name__} is no array; the function's results "
                            "are one, or a tuple of them")
        if type(item) in _PYTHON_NUMBERS:
            if _PYTHON_NUMBERS[type(item)] > _kind(beside):
                raise TypeError(f"{item!r} beside {beside}: say astype first")
            if _kind(beside) == 1:
                limits = np.iinfo(beside)
                if not limits.min <= item <= limits.max:
                    raise OverflowError(f"{item} beside {beside}")
            item = np.array(item, beside)
        array = np.asarray(item)
        desc, data = describe(array)
        constant = program_pb2.Constant(
            desc=desc, payload=tensor_pb2.Payload(raw=data.tobytes()))
        return self.append("CONSTANT", [], array.dtype, array.shape, constant=constant)


class Value(np.lib.mixins.NDArrayOperatorsMixin):
    """What an array will be on the server: type and shape, no elements."""

    def __init__(self, program: Program, number: int, dtype: np.dtype, shape):
        self.program, self.number = program, number
        self.dtype, self.shape = dtype, tuple(shape)

    def __bool__(self) -> bool:
        # if, and, or, not, in, max() and 0 < x < 1 ask for it.
        raise TypeError("a Value is neither true nor false: its elements are on the "
                        "server; say np.where, np.maximum, &, | or ~")

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def T(self) -> Value:
        return self.transpose()

    @property
    def real(self) -> Value:
        return self._part("REAL")

    @property
    def imag(self) -> Value:
        return self._part("IMAG")

    def astype(self, dtype, overflow: str | None = None) -> Value:
        """overflow, of integers: "SATURATE", "WRAP", or the server's rule:
        floats saturate, integers wrap."""
        convert = program_pb2.Convert(type=dtype_number(dtype))
        if overflow is not None:
            convert.overflow = program_pb2.Convert.Overflow.Value(overflow)
        return self.program.append("CONVERT", [self], dtype, self.shape, convert=convert)

    def transpose(self, *axes) -> Value:
        if len(axes) == 1 and not isinstance(axes[0], int):
            axes = axes[0]
        axes = range(self.ndim)[::-1] if not axes else [a % self.ndim for a in axes]
        return self.program.append(
            "TRANSPOSE", [self], self.dtype, [self.shape[a] for a in axes],
            dimensions=program_pb2.Dimensions(dimensions=axes))

    def reshape(self, *shape) -> Value:
        if len(shape) == 1 and not isinstance(shape[0], int):
            shape = shape[0]
        if -1 in shape:
            others = -int(np.prod(shape))
            shape = [int(np.prod(self.shape)) // others if s == -1 else s for s in shape]
        return self.program.append("RESHAPE", [self], self.dtype, shape,
                                   reshape=tensor_pb2.Shape(dimensions=shape))

    def broadcast_to(self, shape) -> Value:
        if self.shape == tuple(shape):
            return self
        return self.program.append(
            "BROADCAST_IN_DIM", [self], self.dtype, shape,
            broadcast_in_dim=program_pb2.BroadcastInDim(
                shape=tensor_pb2.Shape(dimensions=shape),
                dimensions=range(len(shape) - self.ndim, len(shape))))

    def __getitem__(self, key) -> Value:
        """Integers, slices with any step, ... and None."""
        key = key if isinstance(key, tuple) else (key,)
        for item in key:
            if item is not None and item is not Ellipsis and not isinstance(
                    item, (int, np.integer, slice)):
                raise TypeError(f"index {item!r}: integers, slices, ... and None "
                                "alone; for elements where something holds say np.where")
        named = sum(item is not None and item is not Ellipsis for item in key)
        if Ellipsis not in key:
            key += (Ellipsis,)
        at = key.index(Ellipsis)
        key = key[:at] + (slice(None),) * (self.ndim - named) + key[at + 1:]
        box, backwards, shape = program_pb2.Slice(), [], []
        for item in key:
            if item is None:
                shape.append(1)
                continue
            dimension = len(box.start)
            steps = range(self.shape[dimension])[item]  # IndexError as of a list
            indices = [steps] if isinstance(steps, int) else steps
            low, high = (indices[0], indices[-1]) if len(indices) else (0, -1)
            if low > high >= 0:
                low, high = high, low
                backwards.append(dimension)
            box.start.append(low)
            box.limit.append(high + 1)
            box.step.append(1 if isinstance(steps, int) else abs(steps.step))
            if not isinstance(steps, int):
                shape.append(len(steps))
        extents = [len(range(*triple)) for triple in zip(box.start, box.limit, box.step)]
        value = self.program.append("SLICE", [self], self.dtype, extents, slice=box)
        if backwards:
            value = self.program.append(
                "REVERSE", [value], self.dtype, extents,
                dimensions=program_pb2.Dimensions(dimensions=backwards))
        return value if extents == shape else value.reshape(shape)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        name = ufunc.__name__
        if method != "__call__" or options:
            return NotImplemented
        values = self._values(inputs)
        dtype, shape = values[0].dtype, np.broadcast_shapes(*(v.shape for v in values))
        if name in _UNARY:
            if name.startswith("is"):
                dtype = bool
            elif name == "absolute":
                dtype = _part_of(dtype)
            return self.program.append(_UNARY[name], values, dtype, shape)
        if name not in _BINARY and name not in _COMPARE:
            return NotImplemented
        if name in ("divide", "true_divide") and _kind(dtype) < 2:
            raise TypeError(f"/ of {dtype}: say // or astype first")
        attributes = {}
        ranks = sorted(value.ndim for value in values)
        if 0 < ranks[0] < ranks[1]:
            attributes["broadcast_dimensions"] = range(ranks[1] - ranks[0], ranks[1])
        if name in _COMPARE:
            attributes["compare"] = program_pb2.Compare(
                direction=program_pb2.Compare.Direction.Value(_COMPARE[name]))
            return self.program.append("COMPARE", values, bool, shape, **attributes)
        opcode = _BINARY[name]
        if name == "right_shift" and dtype.kind == "u":
            opcode = "SHIFT_RIGHT_LOGICAL"
        return self.program.append(opcode, values, dtype, shape, **attributes)

    def __array_function__(self, function, types, arguments, options):
        known = {np.where: self._where, np.concatenate: self._concatenate,
                 np.clip: self._clip,
                 np.transpose: lambda x, axes=(): x.transpose(axes or ()),
                 np.reshape: lambda x, shape: x.reshape(shape),
                 np.broadcast_to: lambda x, shape: x.broadcast_to(shape)}
        if function not in known:
            return NotImplemented
        return known[function](*arguments, **options)

    def _values(self, items) -> list[Value]:
        beside = next((item.dtype for item in items if isinstance(item, Value)), self.dtype)
        return [self.program.value(item, beside) for item in items]

    def _part(self, opcode: str) -> Value:
        return self.program.append(opcode, [self], _part_of(self.dtype), self.shape)

    def _clip(self, x, low=None, high=None) -> Value:
        raised = x if low is None else np.maximum(x, low)
        return raised if high is None else np.minimum(raised, high)

    def _where(self, condition, x, y) -> Value:
        condition = self.program.value(condition, np.dtype(bool))
        values = [condition, *self._values((x, y))]
        shape = np.broadcast_shapes(*(value.shape for value in values))
        return self.program.append(
            "SELECT", [value.broadcast_to(shape) for value in values],
            values[1].dtype, shape)

    def _concatenate(self, items, axis=0) -> Value:
        values = self._values(items)
        shape = list(values[0].shape)
        axis %= len(shape)
        shape[axis] = sum(value.shape[axis] for value in values)
        return self.program.append(
            "CONCATENATE", values, self.dtype, shape,
            dimensions=program_pb2.Dimensions(dimensions=[axis]))


def _part_of(dtype: np.dtype) -> np.dtype:
    """The type of a complex number's parts; others as they are."""
    return {"F": np.dtype("f4"), "D": np.dtype("f8")}.get(dtype.char, dtype)
