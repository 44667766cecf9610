// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Layouts by the names of dimensions, and tensors of more dimensions.
//
// LAYOUT IS NOT TRANSPOSE. A tensor of dimensions [H,W] = [2,3]:
//     a b c
//     d e f
//                                  dimensions  memory       element (0,1)
//   in layout "HW" (row-major)     [H,W]=[2,3]  a b c d e f  b
//   in layout "WH" (column-major)  [H,W]=[2,3]  a d b e c f  b
//   transposed                     [W,H]=[3,2]  a d b e c f  d
// The last two are the same bytes and different tensors. A layout says where
// in memory the elements lie: dimension 0 still is H, and every index still
// finds its element. A transpose renumbers the dimensions: dimension 0 now is
// W. So a batch of pictures with dimensions [N,H,W,C] becomes
//   - another tensor, with dimensions [N,C,H,W], by
//       b.Result(b.Transpose(x, *TransposeNamed("NHWC", "NCHW")));
//   - the same tensor, which lies in memory plane by plane, by
//       b.Result(x, *LayoutNamed("NCHW", "NHWC"));
//
// Letters are those of the alphabet, in either case, each at most once; blanks
// between them are ignored. Errors are kInvalidArgument throughout.

#ifndef STRIDECAST_LAYOUTS_H_
#define STRIDECAST_LAYOUTS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stridecast/layout.h"
#include "stridecast/tensor.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

// Dimension 0 varies slowest (fastest) in memory.
DimensionOrder RowMajor(int rank);
DimensionOrder ColumnMajor(int rank);

// The layout whose dimensions vary in memory as `order` says, from the slowest
// letter to the fastest. `dimensions` names the tensor's dimensions, dimension
// 0 first. If it is empty they are taken to stand as is usual for these
// letters, or those of them that `order` has: N C D H W, or XLA's p z y x.
//   LayoutNamed("NHWC")         of [N,C,H,W]: minor_to_major {1,3,2,0}
//   LayoutNamed("NHWC", "NHWC")  of [N,H,W,C]: {3,2,1,0}, row-major
//   LayoutNamed("WHD")          of [D,H,W]: {0,1,2}, column-major
//   LayoutNamed("x y")          of [y,x]: {0,1}, column-major
absl::StatusOr<DimensionOrder> LayoutNamed(absl::string_view order,
                                           absl::string_view dimensions = {});

// The same for memory with more room than the tensor needs. `memory_extents`
// are those of the memory, as `order` names them: pictures in
// `uint8_t memory[8][256][256][4]`, of which a tensor [N,C,H,W] = [8,3,224,224]
// fills a part, lie as PaddedLayoutNamed("NHWC", {8, 256, 256, 4}) says.
// `value` is what results hold in the rest.
absl::StatusOr<DimensionOrder> PaddedLayoutNamed(
    absl::string_view order, absl::Span<const int64_t> memory_extents,
    PaddingValue value = PaddingValue::kZero,
    absl::string_view dimensions = {});

// What ProgramBuilder::Transpose takes to turn a tensor whose dimensions are
// `from` into one whose dimensions are `to`, which has the same letters.
//   TransposeNamed("NHWC", "NCHW")  {0,3,1,2}
absl::StatusOr<DimVector> TransposeNamed(absl::string_view from,
                                         absl::string_view to);

// The same elements in the same memory as a tensor of `rank` dimensions, the
// new ones of extent 1 and in front: [3,5] is [1,1,3,5] of rank 4. Padding and
// strides are kept; the new dimensions vary slowest, without padding.
// `rank` is from that of the tensor up to kMaxRank.
absl::StatusOr<TensorDesc> Promote(const TensorDesc& desc, int rank);
absl::StatusOr<TensorView> Promote(const TensorView& view, int rank);
absl::StatusOr<MutableTensorView> Promote(const MutableTensorView& view,
                                          int rank);

}  // namespace stridecast

#endif  // STRIDECAST_LAYOUTS_H_
