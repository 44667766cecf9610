// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/dlpack.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "stridecast/status_macros.h"
#include "stridecast/strided_view.h"

namespace stridecast {
namespace {

// kDLBool, which the headers before version 0.8 lack.
constexpr uint8_t kBoolCode = 6;

struct TypeRow {
  DType type;
  uint8_t code;
};
// The bits are those of the element: 8 for bool.
constexpr TypeRow kTypes[] = {
    {DType::kPred, kBoolCode},  {DType::kS8, kDLInt},
    {DType::kS16, kDLInt},      {DType::kS32, kDLInt},
    {DType::kS64, kDLInt},      {DType::kU8, kDLUInt},
    {DType::kU16, kDLUInt},     {DType::kU32, kDLUInt},
    {DType::kU64, kDLUInt},     {DType::kF16, kDLFloat},
    {DType::kF32, kDLFloat},    {DType::kF64, kDLFloat},
    {DType::kBF16, kDLBfloat},  {DType::kC64, kDLComplex},
    {DType::kC128, kDLComplex},
};

static_assert(std::size(kTypes) == std::size(kAllDTypes));

DLDataType ToDataType(const TypeRow& row) {
  return {row.code, static_cast<uint8_t>(8 * ElementBytes(row.type)), 1};
}

absl::StatusOr<DType> FromDataType(const DLDataType& wanted) {
  if (wanted.lanes != 1) {
    return FieldError("dtype.lanes", wanted.lanes,
                      "; vectors are no elements of tensors here");
  }
  for (const TypeRow& row : kTypes) {
    const DLDataType type = ToDataType(row);
    if (type.code == wanted.code && type.bits == wanted.bits) return row.type;
  }
  return FieldError("dtype", "no element type has code ",
                    static_cast<int>(wanted.code), " and ",
                    static_cast<int>(wanted.bits), " bits");
}

DLDataType ToDataType(DType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return ToDataType(row);
  }
  return {kDLOpaqueHandle, 0, 0};  // not reached: kTypes has every DType
}

absl::Status CheckDevice(const DLDevice& device) {
  switch (device.device_type) {
    case kDLCPU:
    case kDLCUDAHost:
    case kDLROCMHost:
      return absl::OkStatus();
    default:
      return FieldError("device.device_type",
                        static_cast<int>(device.device_type),
                        "; only memory of the host is sent: copy it there");
  }
}

// Points `tensor` to the memory, and to the lists, which outlive it.
void Fill(const TensorDesc& desc, const std::byte* data, DimVector& extents,
          DimVector& strides, DLTensor& tensor) {
  extents.assign(desc.shape().extents().begin(), desc.shape().extents().end());
  strides.assign(desc.layout().strides().begin(),
                 desc.layout().strides().end());
  // DLPack wants null for a tensor of no elements.
  tensor.data =
      desc.num_elements() == 0 ? nullptr : const_cast<std::byte*>(data);
  tensor.device = {kDLCPU, 0};
  tensor.ndim = desc.rank();
  tensor.dtype = ToDataType(desc.type());
  tensor.shape = extents.data();
  tensor.strides = strides.data();
  tensor.byte_offset = static_cast<uint64_t>(desc.byte_offset());
}

// What a DLManagedTensor of ours is the front of.
struct Managed {
  explicit Managed(OwnedTensor given) : tensor(std::move(given)) {
    Fill(tensor.desc(), tensor.data(), extents, strides, managed.dl_tensor);
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) {
      delete static_cast<Managed*>(self->manager_ctx);
    };
  }

  OwnedTensor tensor;
  DimVector extents;
  DimVector strides;
  DLManagedTensor managed;
};

}  // namespace

absl::StatusOr<MutableTensorView> MutableFromDLPack(const DLTensor& tensor) {
  RETURN_IF_ERROR(CheckDevice(tensor.device));
  ASSIGN_OR_RETURN(const DType type, FromDataType(tensor.dtype));
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank) {
    return FieldError("ndim", tensor.ndim, " is not in [0,", kMaxRank, "]");
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) {
    return FieldError("shape", "null, of rank ", tensor.ndim);
  }
  auto* origin = static_cast<std::byte*>(tensor.data);
  if (origin != nullptr) origin += tensor.byte_offset;
  const auto rank = static_cast<size_t>(tensor.ndim);
  const absl::Span<const int64_t> extents(tensor.shape, rank);
  if (tensor.strides != nullptr) {
    return internal::MutableElementStridedView(origin, type, extents,
                                               {tensor.strides, rank});
  }
  ASSIGN_OR_RETURN(const TensorDesc dense, TensorDesc::Create(type, extents));
  return internal::MutableElementStridedView(origin, type, extents,
                                             dense.layout().strides());
}

absl::StatusOr<TensorView> FromDLPack(const DLTensor& tensor) {
  ASSIGN_OR_RETURN(MutableTensorView view, MutableFromDLPack(tensor));
  return TensorView{std::move(view.desc), view.data};
}

DLManagedTensorPtr ToDLPack(OwnedTensor tensor) {
  return DLManagedTensorPtr(&(new Managed(std::move(tensor)))->managed);
}

BorrowedDLTensor::BorrowedDLTensor(const TensorView& view) {
  Fill(view.desc, view.data, extents_, strides_, tensor_);
}

BorrowedDLTensor::BorrowedDLTensor(const MutableTensorView& view) {
  Fill(view.desc, view.data, extents_, strides_, tensor_);
}

}  // namespace stridecast
