// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tensors in memory, as the client takes and gives them: a descriptor and the
// bytes that it describes. The views own nothing: the caller keeps the memory
// alive, and unchanged, until the call that uses it has returned. OwnedTensor
// owns its bytes.
// Invariant: `data` has desc.size_bytes() bytes, padding and gaps included. It
// may be null if that is 0, and need not be aligned.

#ifndef STRIDECAST_TENSOR_VIEW_H_
#define STRIDECAST_TENSOR_VIEW_H_

#include <cassert>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stridecast/element.h"
#include "stridecast/layout.h"
#include "stridecast/return_if_error.h"
#include "stridecast/tensor.h"

namespace stridecast {

// Read only.
struct TensorView {
  TensorDesc desc;
  const std::byte* data = nullptr;
};

// To be written to. The padding of a dimension order gets the padding value;
// what lies between the elements of a strided layout is not touched: it may
// belong to somebody else, as with a part of a picture. (It travels, though: a
// reply has desc.size_bytes().) No two elements may share a slot, and no stride
// may be negative; both the server checks, when the call is made.
struct MutableTensorView {
  TensorDesc desc;
  std::byte* data = nullptr;
};

namespace internal {

absl::StatusOr<TensorDesc> DescribeBuffer(DType type,
                                          absl::Span<const int64_t> extents,
                                          const PhysicalForm& form,
                                          size_t num_elements);

}  // namespace internal

// The elements of `buffer` as a tensor of those extents; `form` says how they
// lie there (default: row-major, dense). The element type is the buffer's.
// Errors: kInvalidArgument if extents and form break a rule of TensorDesc, or
// imply a number of elements other than the buffer's.
template <ElementRange R>
absl::StatusOr<TensorView> View(R&& buffer, absl::Span<const int64_t> extents,
                                const PhysicalForm& form = {}) {
  using T = std::ranges::range_value_t<R>;
  STRIDECAST_ASSIGN_OR_RETURN(
      TensorDesc desc, internal::DescribeBuffer(kDTypeOf<T>, extents, form,
                                                std::ranges::size(buffer)));
  return TensorView{std::move(desc), reinterpret_cast<const std::byte*>(
                                         std::ranges::data(buffer))};
}

// The same, to be written to.
template <ElementRange R>
requires(!std::is_const_v<
         std::remove_reference_t<std::ranges::range_reference_t<R>>>)
    absl::StatusOr<MutableTensorView> MutableView(
        R&& buffer, absl::Span<const int64_t> extents,
        const PhysicalForm& form = {}) {
  using T = std::ranges::range_value_t<R>;
  STRIDECAST_ASSIGN_OR_RETURN(
      TensorDesc desc, internal::DescribeBuffer(kDTypeOf<T>, extents, form,
                                                std::ranges::size(buffer)));
  return MutableTensorView{
      std::move(desc), reinterpret_cast<std::byte*>(std::ranges::data(buffer))};
}

// A tensor with memory of its own, which begins at a multiple of 256 bytes.
// Movable; its bytes stay where they are when it is moved.
class OwnedTensor {
 public:
  // Contents are undefined. Errors: kResourceExhausted without the memory.
  static absl::StatusOr<OwnedTensor> Allocate(const TensorDesc& desc);

  const TensorDesc& desc() const { return desc_; }
  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }

  TensorView view() const { return {desc_, bytes_.get()}; }
  MutableTensorView mutable_view() { return {desc_, bytes_.get()}; }

  // The whole buffer in physical order, padding and gaps included.
  // REQUIRES: T is the C++ type of desc().type().
  template <Element T>
  std::span<const T> slots() const {
    assert(kDTypeOf<T> == desc_.type());
    return {reinterpret_cast<const T*>(bytes_.get()),
            static_cast<size_t>(desc_.layout().num_slots())};
  }
  template <Element T>
  std::span<T> slots() {
    assert(kDTypeOf<T> == desc_.type());
    return {reinterpret_cast<T*>(bytes_.get()),
            static_cast<size_t>(desc_.layout().num_slots())};
  }

  // The element of that index, wherever the layout puts it.
  // REQUIRES: as for slots(), and `index` is within the shape.
  template <Element T>
  T at(absl::Span<const int64_t> index) const {
    return slots<T>()[static_cast<size_t>(desc_.layout().SlotOf(index))];
  }

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };

  OwnedTensor() = default;

  TensorDesc desc_;
  std::unique_ptr<std::byte[], Free> bytes_;
};

}  // namespace stridecast

#endif  // STRIDECAST_TENSOR_VIEW_H_
