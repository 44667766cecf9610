// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What is known of an operation without data: its number, name, form, the
// element types it is defined on and the type of its result. The rows stand in
// operations.inc; the meaning of each is in stridecast/v1/program.proto.

#ifndef STRIDECAST_OPERATION_H_
#define STRIDECAST_OPERATION_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stridecast/dtype.h"

namespace stridecast {

// Numbers as in stridecast.v1.Instruction.Opcode.
enum class Opcode : int16_t {
#define STRIDECAST_OPERATION(name, number, label, form, types, result, cost) \
  k##name = number,
#include "stridecast/operations.inc"
#undef STRIDECAST_OPERATION
};

// What operands and attributes an operation takes.
enum class Form : int8_t {
  kUnary,            // x
  kUnaryScalar,      // x; scalars.alpha
  kUnaryScalars,     // x; scalars
  kReducePrecision,  // x; reduce_precision
  kConvert,          // x; convert
  kBitcastConvert,   // x; convert (its overflow unspecified)
  kBinary,           // x, y; broadcast_dimensions
  kBinaryScalars,    // x, y; broadcast_dimensions, scalars
  kCompare,          // x, y; broadcast_dimensions, compare
  kSelect,           // pred, x, y; pred a scalar or of the same shape
  kClamp,            // low, x, high; low and high scalars or of the same shape
  kFma,              // x, y, z of one shape
  kQuantize,         // x, scale, zero_point; quantize
  kDequantize,       // q, scale, zero_point; quantize
  kBroadcastInDim,   // x; broadcast_in_dim
  kTranspose,        // x; dimensions: the permutation
  kReverse,          // x; dimensions: those reversed
  kSlice,            // x; slice
  kReshape,          // x; reshape
  kConcatenate,      // one or more; dimensions: exactly one
  kPad,              // x, padding value (a scalar); pad
  kIota,             // none; iota
  kConstant,         // none; constant
};

// The number of operands, or -1 for one or more.
constexpr int ArityOf(Form form) {
  switch (form) {
    case Form::kIota:
    case Form::kConstant:
      return 0;
    case Form::kUnary:
    case Form::kUnaryScalar:
    case Form::kUnaryScalars:
    case Form::kReducePrecision:
    case Form::kConvert:
    case Form::kBitcastConvert:
    case Form::kBroadcastInDim:
    case Form::kTranspose:
    case Form::kReverse:
    case Form::kSlice:
    case Form::kReshape:
      return 1;
    case Form::kBinary:
    case Form::kBinaryScalars:
    case Form::kCompare:
    case Form::kPad:
      return 2;
    case Form::kSelect:
    case Form::kClamp:
    case Form::kFma:
    case Form::kQuantize:
    case Form::kDequantize:
      return 3;
    case Form::kConcatenate:
      return -1;
  }
  return -1;
}

constexpr bool TakesScalars(Form form) {
  return form == Form::kUnaryScalar || form == Form::kUnaryScalars ||
         form == Form::kBinaryScalars;
}

// How the type of the result follows from the operands'.
enum class ResultType : int8_t {
  kSame,
  kPred,
  kReal,     // complex: the type of its parts; else the same
  kComplex,  // f32: c64, f64: c128
  kStated,   // in the attribute
};

// How long an element takes, for estimates: plan/cost.h has the numbers.
enum class Cost : int8_t {
  kSimple,        // an instruction or a few: moves, add, compare, round
  kDivision,      // division and square roots of floats
  kFunction,      // a polynomial: exp, sin
  kLongFunction,  // two: atan2, erfc
  kLanewise,      // a loop for each element: remainder, gcd
};

struct Operation {
  Opcode opcode;
  absl::string_view label;  // the proto's name: "BROADCAST_IN_DIM"
  Form form;
  unsigned types;  // TypeClass bits
  ResultType result_type;
  Cost cost;

  bool IsDefinedOn(DType type) const { return (types & ClassOf(type)) != 0; }
};

// Every operation that has a number, in ascending order.
absl::Span<const Operation> AllOperations();

// The operation of that number; null if there is none.
const Operation* FindOperation(int number);

// The row of an opcode.
const Operation& OperationOf(Opcode opcode);

}  // namespace stridecast

#endif  // STRIDECAST_OPERATION_H_
