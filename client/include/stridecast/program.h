// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Writes programs. One call makes one instruction; Build gives the Signature
// that Client::Compute and Explain take.
//
//   ProgramBuilder b;
//   Value x = b.Parameter(image);                  // u8[8,224,224,3]
//   Value y = b.Convert(x, DType::kF32);
//   y = b.Subtract(y, b.Constant({0.5f, 0.4f, 0.3f}), {-1});
//   b.Result(b.Transpose(y, {0, 3, 1, 2}));
//   absl::StatusOr<Signature> signature = b.Build();
//
// operators.h writes the same as expressions of C++, expression.h takes them as
// text. The meaning of each operation is in stridecast/v1/program.proto.
//
// Rules:
//   - The server owns the rules of types and shapes. TypeOf answers by those
//     that this library was built with; a program that breaks one is built and
//     sent all the same, and Client::Explain tells, without data, what the
//     server thinks of it.
//   - What cannot be written as a program at all, such as a value of another
//     builder or a number that its type does not hold, is a fault. The first
//     one is kept, Build returns it, and values that follow from it are
//     nothing: no call needs to be checked, except Build.
//   - Dimension numbers may be negative: -1 is the last one. They are written
//     out here; what is no dimension either way goes to the server as it is.
//   - Values hold a pointer to their builder, which must outlive their use and
//     so is neither copied nor moved.
// Not thread-safe.

#ifndef STRIDECAST_PROGRAM_H_
#define STRIDECAST_PROGRAM_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stridecast/element.h"
#include "stridecast/number.h"
#include "stridecast/request.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

class ProgramBuilder;

// A parameter or the result of an instruction of one ProgramBuilder, or, after
// a fault, nothing. As cheap to copy as a pointer.
class Value {
 public:
  ProgramBuilder& builder() const { return *builder_; }

 private:
  friend class ProgramBuilder;
  enum class Kind : int8_t { kParameter, kInstruction, kNothing };
  Value(ProgramBuilder* builder, Kind kind, size_t index)
      : builder_(builder), kind_(kind), index_(static_cast<uint32_t>(index)) {}

  ProgramBuilder* builder_;
  Kind kind_;
  uint32_t index_;  // among the parameters or among the instructions
};

// A program that is being written. Owns its instructions and constants.
class ProgramBuilder {
 public:
  ProgramBuilder() = default;
  ProgramBuilder(const ProgramBuilder&) = delete;
  ProgramBuilder& operator=(const ProgramBuilder&) = delete;

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
  // A scalar of a type known at run time. A fault if the type cannot say that
  // number (number.h).
  Value Scalar(const Number& number, DType type);
  // The index along `dimension`.
  Value Iota(DType type, DimVector shape, int64_t dimension);

  // Element-wise operations, each by its name: b.Sqrt(x), b.Add(x, y),
  // b.Elu(x, 0.5). Where the ranks of x and y differ and neither is a scalar,
  // broadcast_dimensions says which dimension of the higher-ranked one each
  // dimension of the other is; never guessed (but see NumPyBroadcast).
  Value Unary(Opcode opcode, Value x);
  Value Binary(Opcode opcode, Value x, Value y,
               DimVector broadcast_dimensions = {});
#define STRIDECAST_UNARY(name) \
  Value name(Value x) { return Unary(Opcode::k##name, x); }
#define STRIDECAST_UNARY_SCALAR(name)                     \
  Value name(Value x, std::optional<double> alpha = {}) { \
    return WithScalars(Opcode::k##name, x, {alpha, {}});  \
  }
#define STRIDECAST_UNARY_SCALARS(name)                     \
  Value name(Value x, std::optional<double> alpha = {},    \
             std::optional<double> beta = {}) {            \
    return WithScalars(Opcode::k##name, x, {alpha, beta}); \
  }
#define STRIDECAST_BINARY(name)                                            \
  Value name(Value x, Value y, DimVector broadcast_dimensions = {}) {      \
    return Binary(Opcode::k##name, x, y, std::move(broadcast_dimensions)); \
  }
#include "stridecast/elementwise.inc"
#undef STRIDECAST_UNARY
#undef STRIDECAST_UNARY_SCALAR
#undef STRIDECAST_UNARY_SCALARS
#undef STRIDECAST_BINARY

  // Comparisons: the result's elements are pred. {direction, true} compares in
  // the total order of floating-point numbers.
  Value Compare(Value x, Value y, CompareAttribute compare,
                DimVector broadcast_dimensions = {});
  Value Eq(Value x, Value y, DimVector broadcast_dimensions = {});
  Value Ne(Value x, Value y, DimVector broadcast_dimensions = {});
  Value Ge(Value x, Value y, DimVector broadcast_dimensions = {});
  Value Gt(Value x, Value y, DimVector broadcast_dimensions = {});
  Value Le(Value x, Value y, DimVector broadcast_dimensions = {});
  Value Lt(Value x, Value y, DimVector broadcast_dimensions = {});
  // |x-y| <= absolute + relative*|y|; default: 1e-8 and 1e-5.
  Value IsClose(Value x, Value y, std::optional<double> relative = {},
                std::optional<double> absolute = {},
                DimVector broadcast_dimensions = {});

  // Three operands. `pred`, `low` and `high` are scalars or have the shape of
  // the others.
  Value Select(Value pred, Value on_true, Value on_false);
  Value Clamp(Value low, Value x, Value high);
  Value Fma(Value x, Value y, Value z);

  // To other element types.
  Value Convert(Value x, DType type,
                Overflow overflow = Overflow::kUnspecified);
  Value BitcastConvert(Value x, DType type);
  Value ReducePrecision(Value x, int32_t exponent_bits, int32_t mantissa_bits);
  // Scale and zero point have one shape; broadcast_dimensions says which
  // dimension of x each of theirs is. Dequantize gives the type of `scale`.
  Value Quantize(Value x, Value scale, Value zero_point, DType type,
                 DimVector broadcast_dimensions = {});
  Value Dequantize(Value q, Value scale, Value zero_point,
                   DimVector broadcast_dimensions = {});

  // Other logical dimensions. (Another order in memory alone is not asked of an
  // instruction but of a Result.)
  Value BroadcastInDim(Value x, DimVector shape, DimVector dimensions);
  Value Transpose(Value x, DimVector permutation);
  Value Reverse(Value x, DimVector dimensions);
  Value Slice(Value x, DimVector start, DimVector limit, DimVector step = {});
  // One extent may be -1: what is left of the elements.
  Value Reshape(Value x, DimVector shape);
  Value Concatenate(absl::Span<const Value> values, int64_t dimension);
  // `value` is a scalar. An empty `interior` is all 0.
  Value Pad(Value x, Value value, DimVector low, DimVector high,
            DimVector interior = {});

  // Any operation, its attribute as it goes to the server.
  Value Append(Opcode opcode, absl::Span<const Value> operands,
               Attribute attribute = {}, DimVector broadcast_dimensions = {});

  // Asks for `value` as the next result: type and shape as they come out, lying
  // in memory as `form` says (default: row-major, dense).
  void Result(Value value, const PhysicalForm& form = {});
  // The same in XLA's word: no other dimensions, another order in memory.
  void Relayout(Value value, const PhysicalForm& form) { Result(value, form); }
  // The same, where the server has to find that type and shape.
  void Result(Value value, const TensorDesc& expected);

  // Type and shape of a value, by the rules of the server.
  // Errors: kInvalidArgument, in the server's words, if the value's instruction
  // breaks a rule or an operand's does; the fault, if the value is nothing.
  absl::StatusOr<ValueType> TypeOf(Value value) const;

  // For functions that write parts of programs and find that they cannot: the
  // first status given here is what Build returns. Returns nothing.
  Value Fail(const absl::Status& fault);
  const absl::Status& status() const { return fault_; }

  // The signature of all so far; the builder may be used on.
  // Errors: the first fault.
  absl::StatusOr<Signature> Build() const;

 private:
  friend class ProgramTransaction;

  struct PendingInstruction {
    Instruction instruction;      // without its operands, which
    std::vector<Value> operands;  // get their numbers in Build
    absl::StatusOr<ValueType> type;
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
  Value WithScalars(Opcode opcode, Value x, ScalarsAttribute scalars);
  bool IsForeign(Value value) const;
  absl::StatusOr<ValueType> Infer(const Instruction& instruction,
                                  absl::Span<const Value> operands) const;
  void AddResult(PendingResult result);

  std::vector<TensorDesc> parameters_;
  std::vector<PendingInstruction> instructions_;
  std::vector<PendingResult> results_;
  absl::Status fault_;
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
