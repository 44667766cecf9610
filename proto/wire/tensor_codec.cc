// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/tensor_codec.h"

#include "stridecast/status_macros.h"

namespace stridecast {

absl::StatusOr<DType> DTypeFromProto(v1::DType type, absl::string_view field) {
  if (type == v1::DTYPE_UNSPECIFIED) {
    return FieldError(field, "DTYPE_UNSPECIFIED; an element type is required");
  }
  if (!IsDType(type)) {
    return FieldError(field, static_cast<int>(type),
                      " is not an element type of this server");
  }
  return static_cast<DType>(type);
}

v1::DType DTypeToProto(DType type) { return static_cast<v1::DType>(type); }

DimVector DimsFromProto(
    const google::protobuf::RepeatedField<int64_t>& numbers) {
  return DimVector(numbers.begin(), numbers.end());
}

void DimsToProto(const DimVector& dims,
                 google::protobuf::RepeatedField<int64_t>* numbers) {
  numbers->Assign(dims.begin(), dims.end());
}

absl::StatusOr<DimensionOrder> OrderFromProto(const v1::Layout& layout) {
  if (!v1::PaddingValue_IsValid(layout.padding_value())) {
    return FieldError("layout.padding_value",
                      static_cast<int>(layout.padding_value()),
                      " is not a padding value of this server");
  }
  return DimensionOrder{DimsFromProto(layout.minor_to_major()),
                        DimsFromProto(layout.padded_dimensions()),
                        static_cast<PaddingValue>(layout.padding_value())};
}

v1::Layout OrderToProto(const DimensionOrder& order) {
  v1::Layout layout;
  DimsToProto(order.minor_to_major, layout.mutable_minor_to_major());
  DimsToProto(order.padded_dimensions, layout.mutable_padded_dimensions());
  layout.set_padding_value(static_cast<v1::PaddingValue>(order.padding_value));
  return layout;
}

ElementStrides StridesFromProto(const v1::Strides& strides) {
  return ElementStrides{DimsFromProto(strides.strides()), strides.offset(),
                        strides.total_elements()};
}

v1::Strides StridesToProto(const ElementStrides& strides) {
  v1::Strides message;
  DimsToProto(strides.strides, message.mutable_strides());
  message.set_offset(strides.offset);
  message.set_total_elements(strides.total_elements);
  return message;
}

absl::StatusOr<TensorDesc> TensorDescFromProto(const v1::TensorDesc& message) {
  ASSIGN_OR_RETURN(const DType type, DTypeFromProto(message.type(), "type"));
  ASSIGN_OR_RETURN(const PhysicalForm form, FormFromProto(message));
  return TensorDesc::Create(type, DimsFromProto(message.dimensions()), form);
}

v1::TensorDesc TensorDescToProto(const TensorDesc& desc) {
  v1::TensorDesc message;
  message.set_type(DTypeToProto(desc.type()));
  message.mutable_dimensions()->Assign(desc.shape().extents().begin(),
                                       desc.shape().extents().end());
  FormToProto(desc.layout().form(), &message);
  return message;
}

}  // namespace stridecast
