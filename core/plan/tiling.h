// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How the loops of a pass are cut: into blocks, small enough that all that is
// alive in one stays in the L1 cache and walked by the kernels in one go, and
// into tiles of blocks, each the work of one task.
//   in   loops as MakeLoops gives them, element sizes, budgets
//   out  the loops in compute order, a block extent and a tile extent for each
// Rules:
//   (T1) compute order is the lead tensor's, but for one loop: the one along
//        which some other tensor is dense, or else the most of its elements
//        share a line, is moved next to the innermost, so that a block is a
//        small matrix that is read along one side and written along the other;
//        of a tensor that is nowhere dense only where rows of the lead tensor
//        are no shorter than a line
//   (T2) a flat block is one dense run of elements in compute order; then all
//        block extents but the outermost one greater than 1 are whole loops
//   (T3) a block that is not flat extends along the two innermost loops only;
//        rows of min_row_elements make it so, and a transposed loop unless
//        rows are whole and shorter than kMinRowElements
//   (T4) tile extents are multiples of block extents, or whole loops
// Tested by tests/unit/plan/tiling_test.cc.

#ifndef STRIDECAST_CORE_PLAN_TILING_H_
#define STRIDECAST_CORE_PLAN_TILING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/plan/loop_plan.h"
#include "stridecast/shape.h"

namespace stridecast {

// Rows shorter than this do not carry the cost of most kernels' row loops,
// unless what is computed says otherwise: a few vectors of the widest target.
inline constexpr int64_t kMinRowElements = 64;

struct TilingInput {
  std::vector<Loop> loops;
  absl::InlinedVector<int64_t, 4> element_bytes;  // by tensor
  int lead = 0;
  int64_t block_elements = 1;  // at most so many in a block
  int64_t tile_elements = 1;   // about so many in a tile
  // What lies along another loop than the innermost is brought into order for a
  // whole tile at once: blocks need not be near square.
  bool orders_tiles = false;
  // The outermost loop is not moved.
  bool keeps_outermost = false;
  // Blocks of shorter rows are flat if no loop is moved. The second, the
  // greater one, where nothing is packed for it but tensors that are the same
  // in all blocks, as a bias.
  int64_t min_row_elements = kMinRowElements;
  int64_t min_row_elements_packed_once = kMinRowElements;
};

// Of an element of any tensor.
int64_t MostBytes(const TilingInput& input);

struct Tiling {
  std::vector<Loop> loops;  // compute order, outermost first
  DimVector block_extents;
  DimVector tile_extents;
  bool flat = true;
  bool transposed = false;  // a loop was moved, see (T1)
  // Tiles that swap the places of the two innermost loops are done one after
  // the other, since one tensor is read along both.
  bool mirrored = false;

  int64_t block_elements() const;
  int64_t tile_elements() const;
  // Of a block in scratch: elements from row to row. Those at a tile's edges
  // are no less far apart.
  int64_t RowPitch() const {
    return block_extents.empty() ? 1 : block_extents.back();
  }
  // Of a tensor with these strides by loop: from row to row of a block.
  int64_t RowStride(const DimVector& strides) const {
    return strides.size() < 2 ? 0 : strides[strides.size() - 2];
  }
};

// The box [begin, end) of loop indices, in compute order.
struct Tile {
  DimVector begin;
  DimVector end;
};

Tiling MakeTiling(const TilingInput& input);

// True if the kernels can take the tensor where it lies: its elements of one
// block are dense in compute order or one repeated element; of blocks that are
// not flat, row by row.
bool IsInPlace(const Tiling& tiling, int tensor, int64_t element_bytes,
               bool may_repeat);

// True if all blocks of a tile read the same elements of the tensor.
bool IsSameInAllBlocks(const Tiling& tiling, int tensor);

// Distance in bytes between the lowest and the highest byte of a block of the
// tensor, plus 1.
int64_t BlockSpanBytes(const Tiling& tiling, int tensor, int64_t element_bytes);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_TILING_H_
