// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/tile_runner.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>

namespace stridecast {
namespace {

constexpr int64_t Align64(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// A strided place of a block's elements; strides by loop, of the loops that the
// block extends along.
struct Place {
  const TensorAccess* access;  // null: dense in compute order
  int64_t element_bytes;
};

// Copies elements between two strided places, any number of dimensions.
class BoxCopy {
 public:
  explicit BoxCopy(int64_t element_bytes) : element_bytes_(element_bytes) {}

  // Innermost dimension last.
  void AddDimension(int64_t extent, int64_t source_stride,
                    int64_t destination_stride) {
    if (extent == 1) return;
    dims_.push_back({extent, source_stride, destination_stride});
  }

  void Run(const KernelTable& kernels, const std::byte* source,
           std::byte* destination) {
    const CopyKernel copy = kernels.Copy(element_bytes_);
    const Dim col = Take(ChooseCol());
    const Dim row = Take(ChooseRow(col));
    absl::InlinedVector<int64_t, kInlineRank> index(dims_.size(), 0);
    for (;;) {
      copy(row.extent, col.extent, source, row.source, col.source, destination,
           row.destination, col.destination);
      size_t d = dims_.size();
      for (; d > 0; --d) {
        const Dim& dim = dims_[d - 1];
        source += dim.source;
        destination += dim.destination;
        if (++index[d - 1] < dim.extent) break;
        source -= dim.extent * dim.source;
        destination -= dim.extent * dim.destination;
        index[d - 1] = 0;
      }
      if (d == 0) return;
    }
  }

 private:
  struct Dim {
    int64_t extent;
    int64_t source;
    int64_t destination;
  };

  // Along the destination's dense dimension if it has one.
  int ChooseCol() const {
    int col = static_cast<int>(dims_.size()) - 1;
    for (int d = 0; d < static_cast<int>(dims_.size()); ++d) {
      if (dims_[d].destination == element_bytes_) col = d;
    }
    return col;
  }

  // The source's dense dimension if it is another, else the innermost left.
  int ChooseRow(const Dim& col) const {
    int row = static_cast<int>(dims_.size()) - 1;
    if (col.source == element_bytes_) return row;
    for (int d = 0; d < static_cast<int>(dims_.size()); ++d) {
      if (std::abs(dims_[d].source) == element_bytes_) row = d;
    }
    return row;
  }

  Dim Take(int d) {
    if (d < 0) return {1, 0, 0};
    const Dim dim = dims_[d];
    dims_.erase(dims_.begin() + d);
    return dim;
  }

  const int64_t element_bytes_;
  absl::InlinedVector<Dim, kInlineRank> dims_;
};

void FillBytes(const StorePlan& store, std::byte* begin, int64_t bytes) {
  if (bytes == 0) return;  // `begin` may be null
  if (store.fill_is_zero) {
    std::memset(begin, 0, static_cast<size_t>(bytes));
    return;
  }
  const auto element = static_cast<size_t>(store.access.element_bytes);
  for (int64_t at = 0; at < bytes; at += store.access.element_bytes) {
    std::memcpy(begin + at, store.fill.bytes, element);
  }
}

class TileRunner {
 public:
  TileRunner(const BoundPass& pass, const Tile& tile, std::byte* scratch)
      : pass_(pass),
        plan_(*pass.plan),
        loops_(plan_.tiling.loops),
        num_loops_(static_cast<int>(loops_.size())),
        tile_(tile),
        scratch_(scratch),
        origin_(tile.begin),
        extent_(loops_.size(), 1) {}

  void Run() {
    do {
      SizeBlock();
      for (const Action& action : plan_.actions) {
        switch (action.kind) {
          case Action::Kind::kPack:
            Pack(action.index);
            break;
          case Action::Kind::kCompute:
            Compute(action.index);
            break;
          case Action::Kind::kStore:
            Store(action.index);
            break;
        }
      }
    } while (NextBlock());
    for (size_t s = 0; s < plan_.stores.size(); ++s) {
      if (plan_.stores[s].is_result && !plan_.stores[s].is_part) {
        FillGaps(plan_.stores[s], pass_.stores[s]);
      }
    }
  }

 private:
  void SizeBlock() {
    int64_t elements = 1;
    for (int k = 0; k < num_loops_; ++k) {
      extent_[k] =
          std::min(plan_.tiling.block_extents[k], tile_.end[k] - origin_[k]);
      elements *= extent_[k];
    }
    if (plan_.tiling.flat || num_loops_ == 0) {
      rows_ = 1;
      cols_ = elements;
    } else {
      cols_ = extent_[num_loops_ - 1];
      rows_ = elements / cols_;
    }
  }

  bool NextBlock() {
    for (int k = num_loops_ - 1; k >= 0; --k) {
      origin_[k] += plan_.tiling.block_extents[k];
      if (origin_[k] < tile_.end[k]) return true;
      origin_[k] = tile_.begin[k];
    }
    return false;
  }

  // Where the block's first element lies in the buffer.
  int64_t Offset(const TensorAccess& access) const {
    int64_t offset = access.base_bytes;
    for (int k = 0; k < num_loops_; ++k) {
      offset += origin_[k] * access.byte_strides[k];
    }
    return offset;
  }

  // The block's first element of a leaf. A block that lies in more than one
  // segment is copied together.
  const std::byte* LeafData(int index) const {
    const LeafPlan& leaf = plan_.leaves[index];
    const SegmentedBytes& source = *pass_.leaves[index];
    const int64_t offset = Offset(leaf.access);
    if (source.IsOnePiece()) return source.data() + offset;
    int64_t low = offset;
    int64_t high = offset + leaf.access.element_bytes;
    for (int k = 0; k < num_loops_; ++k) {
      const int64_t move = (extent_[k] - 1) * leaf.access.byte_strides[k];
      (move < 0 ? low : high) += move;
    }
    const auto segments = source.segments();
    const auto after = std::upper_bound(
        segments.begin(), segments.end(), low,
        [](int64_t position, const Segment& s) { return position < s.begin; });
    const Segment& segment = *(after - 1);
    if (high <= segment.begin + segment.size_bytes) {
      return segment.data + (offset - segment.begin);
    }
    assert(leaf.straddle_offset >= 0 && high - low <= leaf.span_bytes);
    std::byte* straddle = scratch_ + leaf.straddle_offset;
    source.CopyTo(low, high - low, straddle);
    return straddle + (offset - low);
  }

  // A copy of the block between two places; a null access is dense scratch.
  void CopyBlock(int64_t element_bytes, const TensorAccess* source_access,
                 const std::byte* source,
                 const TensorAccess* destination_access,
                 std::byte* destination) const {
    BoxCopy copy(element_bytes);
    int64_t dense = element_bytes * rows_ * cols_;
    for (int k = 0; k < num_loops_; ++k) {
      if (extent_[k] == 1) continue;
      dense /= extent_[k];
      copy.AddDimension(
          extent_[k],
          source_access == nullptr ? dense : source_access->byte_strides[k],
          destination_access == nullptr ? dense
                                        : destination_access->byte_strides[k]);
    }
    copy.Run(*pass_.kernels, source, destination);
  }

  // The block's indices along the dimension that an iota counts.
  void PackIota(const TensorAccess& access, int64_t* packed) const {
    const int inner = num_loops_ - 1;
    const int64_t cols = inner < 0 ? 1 : extent_[inner];
    const int64_t step = inner < 0 ? 0 : access.byte_strides[inner];
    const int64_t num_elements = rows_ * cols_;
    DimVector index(extent_.size(), 0);
    int64_t first = Offset(access);
    for (int64_t done = 0; done < num_elements; done += cols) {
      for (int64_t c = 0; c < cols; ++c) packed[done + c] = first + c * step;
      for (int k = inner - 1; k >= 0; --k) {
        first += access.byte_strides[k];
        if (++index[k] < extent_[k]) break;
        first -= extent_[k] * access.byte_strides[k];
        index[k] = 0;
      }
    }
  }

  void Pack(int index) {
    const LeafPlan& leaf = plan_.leaves[index];
    if (leaf.source == Source::kIota) {
      return PackIota(leaf.access, reinterpret_cast<int64_t*>(
                                       scratch_ + leaf.scratch_offset));
    }
    const int64_t bytes = leaf.access.element_bytes;
    std::byte* packed = scratch_ + leaf.scratch_offset;
    if (!leaf.normalize_pred) {
      CopyBlock(bytes, &leaf.access, LeafData(index), nullptr, packed);
      return;
    }
    std::byte* raw = packed + Align64(plan_.tiling.block_elements());
    CopyBlock(bytes, &leaf.access, LeafData(index), nullptr, raw);
    pass_.kernels->Pred()(rows_ * cols_, raw, packed);
  }

  BlockOperand OperandOf(const ValueRef& ref) const {
    if (!ref.is_leaf) {
      const ComputationPlan& computation = plan_.computations[ref.index];
      return Dense(scratch_ + computation.scratch_offset,
                   computation.element_bytes);
    }
    const LeafPlan& leaf = plan_.leaves[ref.index];
    const int64_t bytes = leaf.access.element_bytes;
    if (leaf.scratch_offset >= 0) {
      return Dense(scratch_ + leaf.scratch_offset, bytes);
    }
    const std::byte* data = LeafData(ref.index);
    if (rows_ == 1) return {data, 0, leaf.access.repeated ? 0 : bytes};
    return {data, leaf.access.byte_strides[num_loops_ - 2],
            leaf.access.repeated ? 0 : bytes};
  }

  BlockOperand Dense(const std::byte* data, int64_t element_bytes) const {
    return {data, cols_ * element_bytes, element_bytes};
  }

  void Compute(int index) {
    const ComputationPlan& computation = plan_.computations[index];
    absl::InlinedVector<BlockOperand, 4> operands;
    for (const ValueRef& input : computation.inputs) {
      operands.push_back(OperandOf(input));
    }
    const KernelParameters& parameters = pass_.parameters[index];
    for (int i = 0; i < parameters.count; ++i) {
      operands.push_back(
          {reinterpret_cast<const std::byte*>(&parameters.elements[i]), 0, 0});
    }
    BlockResult result;
    if (computation.store >= 0) {
      const TensorAccess& access = plan_.stores[computation.store].access;
      result.data = pass_.stores[computation.store] + Offset(access);
      result.row_stride = rows_ == 1 ? 0 : access.byte_strides[num_loops_ - 2];
    } else {
      result.data = scratch_ + computation.scratch_offset;
      result.row_stride = cols_ * computation.element_bytes;
    }
    pass_.computations[index](rows_, cols_, operands.data(), result);
  }

  void Store(int index) {
    const StorePlan& store = plan_.stores[index];
    std::byte* destination = pass_.stores[index] + Offset(store.access);
    const int64_t bytes = store.access.element_bytes;
    if (!store.source.is_leaf) {
      CopyBlock(
          bytes, nullptr,
          scratch_ + plan_.computations[store.source.index].scratch_offset,
          &store.access, destination);
      return;
    }
    const LeafPlan& leaf = plan_.leaves[store.source.index];
    if (leaf.scratch_offset >= 0) {
      CopyBlock(bytes, nullptr, scratch_ + leaf.scratch_offset, &store.access,
                destination);
    } else {
      CopyBlock(bytes, &leaf.access, LeafData(store.source.index),
                &store.access, destination);
    }
  }

  // The gap after the element that the loops up to its position reach belongs
  // to the tile in which these loops end.
  void FillGaps(const StorePlan& store, std::byte* buffer) const {
    const int64_t base = store.access.base_bytes;
    if (std::all_of(tile_.begin.begin(), tile_.begin.end(),
                    [](int64_t begin) { return begin == 0; })) {
      FillBytes(store, buffer, base);
    }
    int position = 0;
    for (const Gap& gap : store.gaps) {
      for (; position < gap.position; ++position) {
        if (!EndsLoop(store.loops_by_stride[position])) return;
      }
      FillGap(store, gap, buffer);
    }
    for (; position < num_loops_; ++position) {
      if (!EndsLoop(store.loops_by_stride[position])) return;
    }
    FillBytes(store, buffer + base + store.reach_bytes,
              store.size_bytes - base - store.reach_bytes);
  }

  bool EndsLoop(int k) const { return tile_.end[k] == loops_[k].extent; }

  // Over all indices of the gap's loop but the loop's last, and over all of the
  // loops with greater strides, within the tile.
  void FillGap(const StorePlan& store, const Gap& gap,
               std::byte* buffer) const {
    const auto& strides = store.access.byte_strides;
    DimVector end(tile_.end);
    const int inner = store.loops_by_stride[gap.position];
    end[inner] = std::min(end[inner], loops_[inner].extent - 1);
    if (end[inner] <= tile_.begin[inner]) return;
    DimVector index(tile_.begin);
    int64_t offset = store.access.base_bytes + gap.offset_bytes;
    for (int p = gap.position; p < num_loops_; ++p) {
      const int k = store.loops_by_stride[p];
      offset += index[k] * strides[k];
    }
    for (;;) {
      FillBytes(store, buffer + offset, gap.bytes);
      int p = gap.position;
      for (; p < num_loops_; ++p) {
        const int k = store.loops_by_stride[p];
        offset += strides[k];
        if (++index[k] < end[k]) break;
        offset -= (end[k] - tile_.begin[k]) * strides[k];
        index[k] = tile_.begin[k];
      }
      if (p == num_loops_) return;
    }
  }

  const BoundPass& pass_;
  const PassPlan& plan_;
  const std::vector<Loop>& loops_;
  const int num_loops_;
  const Tile& tile_;
  std::byte* const scratch_;
  DimVector origin_;  // of the block
  DimVector extent_;  // of the block
  int64_t rows_ = 1;
  int64_t cols_ = 1;
};

}  // namespace

void RunTile(const BoundPass& pass, const Tile& tile, std::byte* scratch) {
  TileRunner(pass, tile, scratch).Run();
}

void FillStore(const StorePlan& store, std::byte* buffer) {
  FillBytes(store, buffer, store.size_bytes);
}

}  // namespace stridecast
