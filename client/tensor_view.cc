// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/tensor_view.h"

#include <new>

#include "absl/strings/str_cat.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// What DLPack wants of memory that is handed on; a multiple of a cache line and
// of the widest vector.
constexpr std::align_val_t kAlignment{256};

}  // namespace

namespace internal {

absl::StatusOr<TensorDesc> DescribeBuffer(DType type,
                                          absl::Span<const int64_t> extents,
                                          const PhysicalForm& form,
                                          size_t num_elements) {
  ASSIGN_OR_RETURN(TensorDesc desc, TensorDesc::Create(type, extents, form));
  if (static_cast<size_t>(desc.layout().num_slots()) != num_elements) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a buffer of ", num_elements, " elements for ", desc.ToString(),
        ", which takes ", desc.layout().num_slots()));
  }
  return desc;
}

}  // namespace internal

absl::StatusOr<OwnedTensor> OwnedTensor::Allocate(const TensorDesc& desc) {
  OwnedTensor tensor;
  tensor.desc_ = desc;
  tensor.bytes_.reset(static_cast<std::byte*>(::operator new(
      static_cast<size_t>(desc.size_bytes()), kAlignment, std::nothrow)));
  if (tensor.bytes_ == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "no memory for ", desc.ToString(), ": ", desc.size_bytes(), " bytes"));
  }
  return tensor;
}

void OwnedTensor::Free::operator()(std::byte* bytes) const {
  ::operator delete(bytes, kAlignment);
}

}  // namespace stridecast
