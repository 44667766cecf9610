// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/operators.h"

#include "absl/strings/str_cat.h"
#include "client/alignment.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// `value`, a scalar repeated into the first shape among `others` that is none.
Value Filled(Value value, absl::Span<const Value> others) {
  const auto type = value.builder().TypeOf(value);
  if (!type.ok() || type->shape.rank() != 0) return value;
  for (Value other : others) {
    const auto wanted = other.builder().TypeOf(other);
    if (!wanted.ok() || wanted->shape.rank() == 0) continue;
    const auto extents = wanted->shape.extents();
    return value.builder().BroadcastInDim(
        value, DimVector(extents.begin(), extents.end()), {});
  }
  return value;
}

absl::StatusOr<std::vector<Value>> Broadcast(absl::Span<const Value> values) {
  std::vector<NamedShape> shapes;
  for (Value value : values) {
    ASSIGN_OR_RETURN(const ValueType type, values[0].builder().TypeOf(value));
    const auto extents = type.shape.extents();
    shapes.push_back({DimVector(extents.begin(), extents.end()), {}});
  }
  ASSIGN_OR_RETURN(const Alignment alignment, Align(shapes));
  const DimVector& common = alignment.result.extents;
  std::vector<Value> broadcast;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool fits = shapes[i].extents.empty() || shapes[i].extents == common;
    broadcast.push_back(fits ? values[i]
                             : values[i].builder().BroadcastInDim(
                                   values[i], common, alignment.dimensions[i]));
  }
  return broadcast;
}

}  // namespace

Value ValueOrNumber::Beside(Value other) const {
  if (value() != nullptr) return *value();
  ProgramBuilder& builder = other.builder();
  const auto type = builder.TypeOf(other);
  if (!type.ok()) return builder.Fail(type.status());
  return builder.Scalar(std::get<Number>(either_), type->type);
}

Value operator!(Value x) {
  ProgramBuilder& builder = x.builder();
  const auto type = builder.TypeOf(x);
  if (type.ok() && type->type != DType::kPred) {
    return builder.Fail(absl::InvalidArgumentError(absl::StrCat(
        "! takes a pred, got ", ShapeToString(type->type, type->shape),
        "; ~ flips the bits of integers")));
  }
  return Not(x);
}

Value Where(Value pred, ValueOrNumber on_true, ValueOrNumber on_false) {
  if (on_true.value() == nullptr && on_false.value() == nullptr) {
    return pred.builder().Fail(absl::InvalidArgumentError(
        "Where: two numbers have no element type; make one a Scalar"));
  }
  const Value typed = on_true.value() ? *on_true.value() : *on_false.value();
  const Value x = on_true.Beside(typed);
  const Value y = on_false.Beside(typed);
  // In statements of their own: instructions have an order.
  const Value filled_x = Filled(x, {y, pred});
  const Value filled_y = Filled(y, {x, pred});
  return pred.builder().Select(pred, filled_x, filled_y);
}

Value Clamp(ValueOrNumber low, Value x, ValueOrNumber high) {
  return x.builder().Clamp(low.Beside(x), x, high.Beside(x));
}

Value Fma(Value x, ValueOrNumber y, ValueOrNumber z) {
  const Value factor = y.Beside(x);
  const Value addend = z.Beside(x);
  const Value filled_x = Filled(x, {factor, addend});
  const Value filled_factor = Filled(factor, {x, addend});
  const Value filled_addend = Filled(addend, {x, factor});
  return x.builder().Fma(filled_x, filled_factor, filled_addend);
}

std::vector<Value> NumPyBroadcast(absl::Span<const Value> values) {
  const std::vector<Value> unchanged(values.begin(), values.end());
  if (values.empty()) return unchanged;
  auto broadcast = Broadcast(values);
  if (broadcast.ok()) return *std::move(broadcast);
  values[0].builder().Fail(PrefixField("NumPyBroadcast: ", broadcast.status()));
  return unchanged;
}

std::pair<Value, Value> NumPyBroadcast(Value x, Value y) {
  const auto values = NumPyBroadcast({x, y});
  return {values[0], values[1]};
}

}  // namespace stridecast
