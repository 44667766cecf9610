// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Descriptors: stridecast.v1.TensorDesc and what it is made of, to and from the
// vocabulary of the core.
// Rule: errors are kInvalidArgument and start with the path of the field,
// relative to the message that was passed: "strides.offset: ...".

#ifndef STRIDECAST_PROTO_WIRE_TENSOR_CODEC_H_
#define STRIDECAST_PROTO_WIRE_TENSOR_CODEC_H_

#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stridecast/dtype.h"
#include "stridecast/layout.h"
#include "stridecast/shape.h"
#include "stridecast/tensor.h"
#include "stridecast/v1/tensor.pb.h"

namespace stridecast {

absl::StatusOr<TensorDesc> TensorDescFromProto(const v1::TensorDesc& message);

// `physical` is always set, Strides with total_elements.
v1::TensorDesc TensorDescToProto(const TensorDesc& desc);

// The element type in field `field`; DTYPE_UNSPECIFIED is an error.
absl::StatusOr<DType> DTypeFromProto(v1::DType type, absl::string_view field);
v1::DType DTypeToProto(DType type);

DimVector DimsFromProto(
    const google::protobuf::RepeatedField<int64_t>& numbers);
void DimsToProto(const DimVector& dims,
                 google::protobuf::RepeatedField<int64_t>* numbers);

absl::StatusOr<DimensionOrder> OrderFromProto(const v1::Layout& layout);
v1::Layout OrderToProto(const DimensionOrder& order);
ElementStrides StridesFromProto(const v1::Strides& strides);
v1::Strides StridesToProto(const ElementStrides& strides);

// The oneof `physical` of a TensorDesc or ResultSpec message.
template <typename Message>
absl::StatusOr<PhysicalForm> FormFromProto(const Message& message) {
  if (message.has_layout()) return OrderFromProto(message.layout());
  if (message.has_strides()) return StridesFromProto(message.strides());
  return PhysicalForm();
}

template <typename Message>
void FormToProto(const PhysicalForm& form, Message* message) {
  if (const auto* order = std::get_if<DimensionOrder>(&form)) {
    *message->mutable_layout() = OrderToProto(*order);
  } else if (const auto* strides = std::get_if<ElementStrides>(&form)) {
    *message->mutable_strides() = StridesToProto(*strides);
  }
}

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_TENSOR_CODEC_H_
