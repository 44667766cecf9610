// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tensors from and to the libraries that speak DLPack: PyTorch, JAX, CuPy, TVM,
// NumPy. Needs <dlpack/dlpack.h> (Debian: libdlpack-dev), version 0.6 or later,
// perhaps not the one that the library was built with: the structs used here
// are the same in all. No other header of ours needs it.
//
//   client.Relayout(*FromDLPack(managed->dl_tensor), *LayoutNamed("NHWC"));
//   consumer(ToDLPack(std::move(result)).release());
//
// Rules:
//   - Memory of the host alone: of kDLCPU, and pinned as kDLCUDAHost or
//     kDLROCMHost. Whoever fills pinned memory from a device waits for it
//     first. Managed memory (kDLCUDAManaged) moves when it is touched: copy it.
//   - bool is one byte, DLPack's type code 6 (kDLBool, from version 0.8 on).
//     Vector types (lanes other than 1) have no counterpart here.
//   - Any byte offset, any alignment, strides of either sign; no strides are
//     row-major. The rules of stridecast/strided_view.h hold.
//   - Padding of a dimension order is handed on as what it is, strides.

#ifndef STRIDECAST_DLPACK_H_
#define STRIDECAST_DLPACK_H_

#include <dlpack/dlpack.h>

#include <memory>

#include "absl/status/statusor.h"
#include "stridecast/shape.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

// The memory of `tensor`, which stays its owner's and outlives the view. Byte
// offset and strides are in the view's descriptor.
// Errors: kInvalidArgument with the field of DLTensor: memory of a device, a
// type that is not ours, or as for StridedView.
absl::StatusOr<TensorView> FromDLPack(const DLTensor& tensor);
// To be written to; DLPack up to version 0.8 cannot say that memory is read
// only.
absl::StatusOr<MutableTensorView> MutableFromDLPack(const DLTensor& tensor);

// Calls the deleter, as a consumer does when it no longer needs the tensor.
struct DLPackDeleter {
  void operator()(DLManagedTensor* tensor) const {
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  }
};
using DLManagedTensorPtr = std::unique_ptr<DLManagedTensor, DLPackDeleter>;

// Gives the memory away. release() it to a consumer that calls the deleter
// itself, on any thread.
DLManagedTensorPtr ToDLPack(OwnedTensor tensor);

// A DLTensor of memory that somebody else owns, for a consumer that looks at it
// and keeps nothing. The DLTensor points into this object, which therefore does
// not move. Of a TensorView the consumer must only read.
class BorrowedDLTensor {
 public:
  explicit BorrowedDLTensor(const TensorView& view);
  explicit BorrowedDLTensor(const MutableTensorView& view);
  BorrowedDLTensor(const BorrowedDLTensor&) = delete;
  BorrowedDLTensor& operator=(const BorrowedDLTensor&) = delete;

  DLTensor* get() { return &tensor_; }

 private:
  DimVector extents_;
  DimVector strides_;
  DLTensor tensor_;
};

}  // namespace stridecast

#endif  // STRIDECAST_DLPACK_H_
