// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Programs written as expressions of C++.
//
//   ProgramBuilder b;
//   Value x = b.Parameter(image);                     // u8[8,224,224,3]
//   Value mean = b.Constant({0.485f, 0.456f, 0.406f});
//   auto [y, m] = NumPyBroadcast(Convert(x, DType::kF32) / 255, mean);
//   b.Result(Transpose(Where(y > m, y - m, 0), {0, 3, 1, 2}));
//
// Each call appends to the builder of its values as the method of the same name
// does, faults included (program.h): values of two builders in one expression
// are a fault of the first one's.
//   + - * / % & | ^     ADD to XOR; % is REMAINDER, with the sign of the left
//   -x  ~x  !x          NEGATE; NOT of integers and preds; NOT of preds only
//   < <= > >=           COMPARE; equality is Eq(x, y) and Ne(x, y), because
//                       == of handles would surprise
// A number of C++ beside a value becomes a scalar of the value's element type,
// or a fault if that type cannot say it (number.h). Nothing else is converted,
// and of shapes only scalars fit all others: NumPyBroadcast, or the last
// argument of the functions with two operands, says what repeats.

#ifndef STRIDECAST_OPERATORS_H_
#define STRIDECAST_OPERATORS_H_

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "stridecast/number.h"
#include "stridecast/program.h"

namespace stridecast {

// What stands beside a value: another, or a number that is none until it has a
// type. Parameters have this type; programs need not name it.
class ValueOrNumber {
 public:
  ValueOrNumber(Value value) : either_(value) {}            // NOLINT
  ValueOrNumber(const Number& number) : either_(number) {}  // NOLINT
  template <Arithmetic T>
  ValueOrNumber(T number) : either_(Number(number)) {}  // NOLINT

  const Value* value() const { return std::get_if<Value>(&either_); }

  // Itself, or the number as a scalar of the type of `other`.
  Value Beside(Value other) const;

 private:
  std::variant<Value, Number> either_;
};

// Every element-wise operation: Sqrt(x), Atan2(x, 2), Add(x, y, {1}),
// LeakyRelu(x, 0.1), RoundNearestEven(x) ... (elementwise.inc).
#define STRIDECAST_UNARY(name) \
  inline Value name(Value x) { return x.builder().name(x); }
#define STRIDECAST_UNARY_SCALAR(name)                            \
  inline Value name(Value x, std::optional<double> alpha = {}) { \
    return x.builder().name(x, alpha);                           \
  }
#define STRIDECAST_UNARY_SCALARS(name)                         \
  inline Value name(Value x, std::optional<double> alpha = {}, \
                    std::optional<double> beta = {}) {         \
    return x.builder().name(x, alpha, beta);                   \
  }
#define STRIDECAST_BINARY(name)                                               \
  inline Value name(Value x, ValueOrNumber y,                                 \
                    DimVector broadcast_dimensions = {}) {                    \
    return x.builder().name(x, y.Beside(x), std::move(broadcast_dimensions)); \
  }                                                                           \
  inline Value name(Number x, Value y) {                                      \
    return y.builder().name(ValueOrNumber(x).Beside(y), y);                   \
  }
#include "stridecast/elementwise.inc"
// Comparisons are binary, too.
STRIDECAST_BINARY(Eq)
STRIDECAST_BINARY(Ne)
STRIDECAST_BINARY(Ge)
STRIDECAST_BINARY(Gt)
STRIDECAST_BINARY(Le)
STRIDECAST_BINARY(Lt)
#undef STRIDECAST_UNARY
#undef STRIDECAST_UNARY_SCALAR
#undef STRIDECAST_UNARY_SCALARS
#undef STRIDECAST_BINARY

// By their usual names.
inline Value Max(Value x, ValueOrNumber y) { return Maximum(x, y); }
inline Value Max(Number x, Value y) { return Maximum(x, y); }
inline Value Min(Value x, ValueOrNumber y) { return Minimum(x, y); }
inline Value Min(Number x, Value y) { return Minimum(x, y); }
inline Value Pow(Value x, ValueOrNumber y) { return Power(x, y); }
inline Value Pow(Number x, Value y) { return Power(x, y); }

#define STRIDECAST_OPERATOR(symbol, name)                  \
  inline Value operator symbol(Value x, ValueOrNumber y) { \
    return name(x, y);                                     \
  }                                                        \
  inline Value operator symbol(Number x, Value y) { return name(x, y); }
STRIDECAST_OPERATOR(+, Add)
STRIDECAST_OPERATOR(-, Subtract)
STRIDECAST_OPERATOR(*, Multiply)
STRIDECAST_OPERATOR(/, Divide)
STRIDECAST_OPERATOR(%, Remainder)
STRIDECAST_OPERATOR(&, And)
STRIDECAST_OPERATOR(|, Or)
STRIDECAST_OPERATOR(^, Xor)
STRIDECAST_OPERATOR(<, Lt)
STRIDECAST_OPERATOR(<=, Le)
STRIDECAST_OPERATOR(>, Gt)
STRIDECAST_OPERATOR(>=, Ge)
#undef STRIDECAST_OPERATOR

inline Value operator+(Value x) { return x; }
inline Value operator-(Value x) { return Negate(x); }
inline Value operator~(Value x) { return Not(x); }
// A fault if x is no pred: NOT of integers flips bits.
Value operator!(Value x);

// Three operands; scalars among them repeat. At least one of `on_true` and
// `on_false` is a value: two numbers are a fault.
Value Where(Value pred, ValueOrNumber on_true, ValueOrNumber on_false);
Value Clamp(ValueOrNumber low, Value x, ValueOrNumber high);
Value Fma(Value x, ValueOrNumber y, ValueOrNumber z);

// The methods of ProgramBuilder, for use within expressions.
inline Value Convert(Value x, DType type,
                     Overflow overflow = Overflow::kUnspecified) {
  return x.builder().Convert(x, type, overflow);
}
inline Value BitcastConvert(Value x, DType type) {
  return x.builder().BitcastConvert(x, type);
}
inline Value Transpose(Value x, DimVector permutation) {
  return x.builder().Transpose(x, std::move(permutation));
}
inline Value Reverse(Value x, DimVector dimensions) {
  return x.builder().Reverse(x, std::move(dimensions));
}
inline Value Slice(Value x, DimVector start, DimVector limit,
                   DimVector step = {}) {
  return x.builder().Slice(x, std::move(start), std::move(limit),
                           std::move(step));
}
inline Value Reshape(Value x, DimVector shape) {
  return x.builder().Reshape(x, std::move(shape));
}

// What NumPy does unasked: shapes are aligned at their last dimensions, missing
// ones and extents of 1 repeat. Values that need it become BROADCAST_IN_DIM to
// the common shape; those of that shape, and scalars, which fit any shape, are
// returned as they are.
// Shapes that do not fit are a fault that names them; the values come back as
// they are.
std::pair<Value, Value> NumPyBroadcast(Value x, Value y);
std::vector<Value> NumPyBroadcast(absl::Span<const Value> values);

}  // namespace stridecast

#endif  // STRIDECAST_OPERATORS_H_
