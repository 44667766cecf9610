// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy format, versions 1 to 3: a Python dictionary as text, then the
// elements in row-major ("C") or column-major ("Fortran") order.
// Rules:
//   (N1) a tensor is written in physical order, byte for byte as it lies in
//        memory. If it is dense and row-major or column-major, the file has its
//        shape and NumPy loads its logical value. Otherwise the file's shape is
//        that of the memory: the padded extents from the slowest to the fastest
//        dimension; for strides with gaps one dimension of all elements.
//   (N2) a file fits a descriptor if writing that descriptor would give the
//        file's type, shape and order.
//   (N3) bf16, which NumPy lacks, is '<V2' (2-byte void): load it with
//        np.load(f).view(ml_dtypes.bfloat16).
//   (N4) big-endian elements are turned to little-endian by the reader; written
//        are little-endian ones alone, under version 1: the header of a tensor
//        never needs more.
// Structured, object, text and date arrays are refused: they are no tensors.

#ifndef STRIDECAST_CLIENT_TOOL_NPY_H_
#define STRIDECAST_CLIENT_TOOL_NPY_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stridecast/dtype.h"
#include "stridecast/shape.h"
#include "stridecast/tensor.h"

namespace stridecast {

struct NpyHeader {
  DType type = DType::kF32;
  DimVector extents;
  bool fortran_order = false;
  bool big_endian = false;  // of a file that is read

  friend bool operator==(const NpyHeader&, const NpyHeader&) = default;
};

// True if a file that begins with these bytes claims to be .npy.
bool LooksLikeNpy(absl::string_view file);

// Reads the header at the front of `file` and sets *data_offset to the place
// where the elements begin.
// Errors: kInvalidArgument, for whatever makes the header unreadable.
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view file,
                                         size_t* data_offset);

// The first bytes of a file, up to its elements; a multiple of 64.
std::string FormatNpyHeader(const NpyHeader& header);

// Reverses the bytes of every number in `bytes`; a complex number is two.
void SwapByteOrder(DType type, char* bytes, size_t size_bytes);

// What a reader makes of the file: row-major or column-major, dense.
// Errors: kInvalidArgument if the shape breaks a rule of TensorDesc.
absl::StatusOr<TensorDesc> DescOfNpy(const NpyHeader& header);

// The extents of the memory, slowest dimension first, padding included; none if
// strides leave gaps or run backwards.
std::optional<DimVector> PhysicalExtents(const TensorDesc& desc);

// (N1)
NpyHeader NpyHeaderOf(const TensorDesc& desc);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_NPY_H_
