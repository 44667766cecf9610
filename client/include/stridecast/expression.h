// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Programs from text, in the notation that NumPy's users know.
//
//   ProgramBuilder b;
//   const ExpressionOperands operands = {
//       {"x", {b.Parameter(photo), "HWC"}},    // u8[300,451,3]
//       {"mean", {b.Parameter(mean), "C"}}};   // f32[3]
//   const absl::StatusOr<ExpressionValue> y = ParseExpression(
//       "transpose((f32(x)/255 - mean)/0.225, CHW)", operands, b);
//   if (y.ok()) b.Result(y->value);
//
// Operators, as in Python from the loosest to the tightest:
//   == != < <= > >=   compare; they do not chain: (0 < x) & (x < 1)
//   |   ^   &         or, exclusive or, and: of preds logical, of integers bits
//   + -               add, subtract
//   * / // %          multiply, divide, floor_divide, remainder. / of integers
//                     goes toward zero; % has the sign of the left, floor_mod
//                     that of the right
//   - + ~ !           negate; not of integers and preds; not of preds alone
//   **                power: -x**2 is -(x**2), 2**3**2 is 2**(3**2)
//
// Functions:
//   sqrt(x), atan2(x, y), fma(x, y, z) ...   every element-wise operation of
//       stridecast/v1/program.proto by its name in lower case; also abs, max,
//       min, pow, ln, mod, round (halves to even), rint, sigmoid, gelu, isnan,
//       isinf, isfinite, isclose
//   elu(x, 0.5), hard_sigmoid(x, 0.2, 0.5), isclose(x, y, 1e-3, 0)   with the
//       scalars that the operation takes, alpha first; those left out are the
//       defaults
//   where(p, x, y)             x where p is true, else y; also called select
//   clamp(low, x, high)
//   quantize(x, scale, zero_point), dequantize(q, scale, zero_point)   the
//       results have the types of zero_point and of scale
//   reduce_precision(x, exponent_bits, mantissa_bits)
//   f32(x), u8(x) ...          convert: integers keep their low bits, floats
//       saturate; u8(x, saturate) and u8(x, wrap) say which
//   bitcast_convert(x, u32)
//   transpose(x, 0, 3, 1, 2), transpose(x, NCHW)   dimension numbers, those
//   reverse(x, -1), reverse(x, W)                  from the end negative, or
//                                                  letters if x has some
//   reshape(x, 2, -1)          -1: what is left of the elements
//
// Numbers: 255, 0.5, 1e-3, 0xFF; inf, nan, pi, true, false. With a suffix,
// 1f32, 255u8, 2.5bf16, 0xFFu8 (after hex digits types of integers only), or in
// a cast, f32(0.1), they have that type. Without one they take the type of the
// tensor that they meet, by the rules of number.h: x/255.0 is an error for
// integers x. Two numbers without type are computed at once by + - * / and **,
// as Python would: 1/255 is 0.00392...; any other operation wants a type.
// Operands may be called inf, nan and pi, and then hide those.
//
// Types: nothing is converted unasked; operands of different types are an
// error.
//
// Shapes: scalars fit all. If both operands of an operation have letters, their
// dimensions are matched by letter: those of the lower-ranked one are among the
// other's (the left one's, if ranks are equal), which the result has, in any
// order: it is transposed. If not, NumPy's rule: aligned at the last dimension.
// Either way extents of 1 repeat, and all of it is written into the program as
// explicit broadcasting.

#ifndef STRIDECAST_EXPRESSION_H_
#define STRIDECAST_EXPRESSION_H_

#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stridecast/program.h"

namespace stridecast {

// A value of a program and the names of its dimensions.
struct ExpressionValue {
  Value value;
  // A letter of ASCII for each dimension, distinct: "HWC". Empty: not named.
  std::string dimensions;
};

// By name: letters, digits and _, not beginning with a digit. The functions
// have names of their own: an operand may be called max.
using ExpressionOperands = std::map<std::string, ExpressionValue, std::less<>>;

// Appends the instructions of `text` to `builder`, which made the operands.
// The result's letters are those that it got from the operands, if any.
// Errors: kInvalidArgument, the place being shown under the text:
//   expression: unknown name "meen"; did you mean "mean"?
//     (x/255 - meen)/std
//              ^^^^
// or the builder's fault. `builder` is then as it was before.
// Limits: 64 KiB of text, 100 levels of nesting (which may take 1.5 MiB of
// stack); how many instructions a program may have the server says.
absl::StatusOr<ExpressionValue> ParseExpression(
    absl::string_view text, const ExpressionOperands& operands,
    ProgramBuilder& builder);

}  // namespace stridecast

#endif  // STRIDECAST_EXPRESSION_H_
