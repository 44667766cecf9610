// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Writes programs. One call makes one instruction; Build gives the Signature
// that Client::Compute and Explain take.
//
//   ProgramBuilder b;
//   Value x = b.Parameter(image);                  // u8[8,224,224,3]
//   Value y = b.Convert(x, DType::kF32);
//   y = b.Subtract(y, b.Constant({0.5f, 0.4f, 0.3f}), {3});
//   b.Result(b.Transpose(y, {0, 3, 1, 2}));
//   Signature signature = b.Build();
//
// No rule of shapes and types is checked here: Client::Explain tells what the
// server thinks of a program, without data. Values belong to the builder that
// made them. The meaning of each operation is in stridecast/v1/program.proto.
// Not thread-safe.

#ifndef STRIDECAST_PROGRAM_H_
#define STRIDECAST_PROGRAM_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "absl/types/span.h"
#include "stridecast/element.h"
#include "stridecast/request.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

// A parameter or the result of an instruction of one ProgramBuilder.
class Value {
 private:
  friend class ProgramBuilder;
  Value(bool is_parameter, uint32_t index)
      : is_parameter_(is_parameter), index_(index) {}

  bool is_parameter_;
  uint32_t index_;  // among the parameters or among the instructions
};

class ProgramBuilder {
 public:
  // The next operand of the call; may be declared at any point. Each in a
  // statement of its own: in Add(Parameter(a), Parameter(b)) C++ does not say
  // which comes first.
  Value Parameter(const TensorDesc& desc);

  // Data that travels with the program, copied here: a scalar, a vector
  // (rank 1), any tensor. Constants of one program are limited to 64 KiB.
  template <Element T>
  Value Constant(T scalar) {
    return ConstantOf(std::span<const T>(&scalar, 1), {});
  }
  template <Element T>
  Value Constant(std::initializer_list<T> vector) {
    return ConstantOf(std::span<const T>(vector.begin(), vector.size()),
                      {static_cast<int64_t>(vector.size())});
  }
  template <ElementRange R>
  Value Constant(R&& vector) {
    using T = std::ranges::range_value_t<R>;
    const std::span<const T> elements(std::ranges::data(vector),
                                      std::ranges::size(vector));
    return ConstantOf(elements, {static_cast<int64_t>(elements.size())});
  }
  Value Constant(const TensorView& tensor);

  // Element-wise, one operand.
  Value Unary(Opcode opcode, Value x);
  Value Identity(Value x) { return Unary(Opcode::kIdentity, x); }
  Value Negate(Value x) { return Unary(Opcode::kNegate, x); }
  Value Abs(Value x) { return Unary(Opcode::kAbs, x); }
  Value Not(Value x) { return Unary(Opcode::kNot, x); }
  Value Sqrt(Value x) { return Unary(Opcode::kSqrt, x); }
  Value Convert(Value x, DType type,
                Overflow overflow = Overflow::kUnspecified);

  // Element-wise, two operands. Where their ranks differ and neither is a
  // scalar, broadcast_dimensions says which dimension of the higher-ranked one
  // each dimension of the other is; never guessed.
  Value Binary(Opcode opcode, Value x, Value y,
               DimVector broadcast_dimensions = {});
  Value Add(Value x, Value y, DimVector broadcast_dimensions = {}) {
    return Binary(Opcode::kAdd, x, y, std::move(broadcast_dimensions));
  }
  Value Subtract(Value x, Value y, DimVector broadcast_dimensions = {}) {
    return Binary(Opcode::kSubtract, x, y, std::move(broadcast_dimensions));
  }
  Value Multiply(Value x, Value y, DimVector broadcast_dimensions = {}) {
    return Binary(Opcode::kMultiply, x, y, std::move(broadcast_dimensions));
  }
  Value Divide(Value x, Value y, DimVector broadcast_dimensions = {}) {
    return Binary(Opcode::kDivide, x, y, std::move(broadcast_dimensions));
  }
  Value Remainder(Value x, Value y, DimVector broadcast_dimensions = {}) {
    return Binary(Opcode::kRemainder, x, y, std::move(broadcast_dimensions));
  }
  Value Maximum(Value x, Value y, DimVector broadcast_dimensions = {}) {
    return Binary(Opcode::kMaximum, x, y, std::move(broadcast_dimensions));
  }
  Value Minimum(Value x, Value y, DimVector broadcast_dimensions = {}) {
    return Binary(Opcode::kMinimum, x, y, std::move(broadcast_dimensions));
  }
  Value And(Value x, Value y, DimVector broadcast_dimensions = {}) {
    return Binary(Opcode::kAnd, x, y, std::move(broadcast_dimensions));
  }
  Value Or(Value x, Value y, DimVector broadcast_dimensions = {}) {
    return Binary(Opcode::kOr, x, y, std::move(broadcast_dimensions));
  }
  Value Xor(Value x, Value y, DimVector broadcast_dimensions = {}) {
    return Binary(Opcode::kXor, x, y, std::move(broadcast_dimensions));
  }

  // Comparisons: the result's elements are pred.
  Value Compare(Value x, Value y, CompareAttribute compare,
                DimVector broadcast_dimensions = {});
  Value Eq(Value x, Value y, DimVector broadcast_dimensions = {});
  Value Ne(Value x, Value y, DimVector broadcast_dimensions = {});
  Value Ge(Value x, Value y, DimVector broadcast_dimensions = {});
  Value Gt(Value x, Value y, DimVector broadcast_dimensions = {});
  Value Le(Value x, Value y, DimVector broadcast_dimensions = {});
  Value Lt(Value x, Value y, DimVector broadcast_dimensions = {});

  // Three operands. `pred`, `low` and `high` are scalars or have the shape of
  // the others.
  Value Select(Value pred, Value on_true, Value on_false);
  Value Clamp(Value low, Value x, Value high);

  // Views: other logical dimensions. (Another order in memory alone is not a
  // view but the layout of a Result.)
  Value BroadcastInDim(Value x, DimVector shape, DimVector dimensions);
  Value Transpose(Value x, DimVector permutation);
  Value Reverse(Value x, DimVector dimensions);
  Value Slice(Value x, DimVector start, DimVector limit, DimVector step = {});

  // Any operation, those without a method here included.
  Value Append(Opcode opcode, absl::Span<const Value> operands,
               Attribute attribute = {}, DimVector broadcast_dimensions = {});

  // Asks for `value` as the next result: type and shape as they come out, lying
  // in memory as `form` says (default: row-major, dense).
  void Result(Value value, const PhysicalForm& form = {});
  // The same in XLA's word: no other dimensions, another order in memory.
  void Relayout(Value value, const PhysicalForm& form) { Result(value, form); }
  // The same, where the server has to find that type and shape.
  void Result(Value value, const TensorDesc& expected);

  // The signature of all so far; the builder may be used on.
  Signature Build() const;

 private:
  struct PendingInstruction {
    Opcode opcode;
    std::vector<Value> operands;
    DimVector broadcast_dimensions;
    Attribute attribute;
  };
  struct PendingResult {
    Value value;
    std::optional<DType> type;
    std::optional<DimVector> shape;
    PhysicalForm form;
  };

  template <Element T>
  Value ConstantOf(std::span<const T> elements, const DimVector& extents) {
    // A vector or scalar that lies in memory breaks no rule.
    return Constant(*View(elements, extents));
  }

  std::vector<TensorDesc> parameters_;
  std::vector<PendingInstruction> instructions_;
  std::vector<PendingResult> results_;
};

// What Client::Relayout asks: one operand, converted if `convert` is set, as
// one result of that physical form. Also for Client::Explain.
Signature RelayoutSignature(
    const TensorDesc& operand, const PhysicalForm& result_form,
    const std::optional<ConvertAttribute>& convert = std::nullopt);
// The same as a result of that type, shape and physical form.
Signature RelayoutSignature(const TensorDesc& operand, const TensorDesc& result,
                            Overflow overflow);

}  // namespace stridecast

#endif  // STRIDECAST_PROGRAM_H_
