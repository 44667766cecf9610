// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/tile_runner.h"

#include <xmmintrin.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/exec/box_copy.h"
#include "core/exec/box_fetch.h"
#include "core/exec/gaps.h"

namespace stridecast {
namespace {

// Of a row: so long that a chain's own prefetches ask for nearly all of the
// next.
constexpr int64_t kMinChainFetchedBytes = 2048;

constexpr int64_t Align64(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// Rows of a block in scratch are as far apart as those of a whole block, also
// at the tile's edges; so what lies there stays where it is from block to
// block, and only operands and results in buffers move.
class TileRunner {
 public:
  TileRunner(const BoundPass& pass, const Tile& tile, std::byte* scratch)
      : pass_(pass),
        plan_(*pass.plan),
        tiling_(plan_.tiling),
        kernels_(*pass.kernels),
        num_loops_(static_cast<int>(tiling_.loops.size())),
        pitch_(tiling_.RowPitch()),
        tile_(tile),
        scratch_(scratch),
        operands_(kernels_.operands().begin(), kernels_.operands().end()),
        origin_(tile.begin),
        extent_(tiling_.loops.size(), 1),
        packs_(plan_.leaves.size()),
        fetches_(plan_.leaves.size()),
        stores_(plan_.stores.size()),
        packing_(WritesPastCache() ? BoxCopy::Route::kFromMemory
                                   : BoxCopy::Route::kCached) {
    for (const PassKernels::ScratchOperand& in_scratch : kernels_.scratch()) {
      operands_[in_scratch.operand].data = scratch_ + in_scratch.offset;
    }
  }

  void Run() {
    PackTile();
    do {
      SizeBlock();
      for (const Action& action : plan_.actions) {
        switch (action.kind) {
          case Action::Kind::kPack:
            if (is_first_ || !plan_.leaves[action.index].packed_once) {
              Pack(action.index);
            }
            break;
          case Action::Kind::kCompute:
            Compute(action.index);
            break;
          case Action::Kind::kStore:
            Store(action.index);
            break;
        }
      }
      is_first_ = false;
    } while (Advance());
    for (size_t s = 0; s < plan_.stores.size(); ++s) {
      const StorePlan& store = plan_.stores[s];
      // Others will read what is written past the caches.
      if (store.past_cache) _mm_sfence();
      if (store.has_gaps) {
        FillGaps(store, tiling_.loops, tile_, pass_.stores[s]);
      }
    }
  }

 private:
  // Leaves that are packed for all blocks together.
  void PackTile() {
    for (size_t i = 0; i < plan_.leaves.size(); ++i) {
      const LeafPlan& leaf = plan_.leaves[i];
      if (leaf.tile_strides.empty()) continue;
      assert(pass_.leaves[i]->IsOnePiece());
      BoxCopy::Dims dims;
      for (int k = 0; k < num_loops_; ++k) {
        AddDim(tile_.end[k] - tile_.begin[k], leaf.access.byte_strides[k],
               leaf.tile_strides[k], dims);
      }
      BoxCopy(leaf.access.element_bytes, std::move(dims))
          .Run(kernels_.table(), pass_.leaves[i]->At(Offset(leaf.access)),
               scratch_ + leaf.scratch_offset);
    }
  }

  void SizeBlock() {
    rows_ = 1;
    cols_ = 1;
    is_whole_ = true;
    for (int k = 0; k < num_loops_; ++k) {
      extent_[k] =
          std::min(tiling_.block_extents[k], tile_.end[k] - origin_[k]);
      is_whole_ = is_whole_ && extent_[k] == tiling_.block_extents[k];
      rows_ *= cols_;
      cols_ = extent_[k];
    }
    if (tiling_.flat) {
      cols_ *= rows_;
      rows_ = 1;
    }
  }

  // To the next block; false if it was the last.
  bool Advance() {
    for (int k = num_loops_ - 1; k >= 0; --k) {
      origin_[k] += tiling_.block_extents[k];
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

  // The same in a tile that is packed.
  const std::byte* PackedData(const LeafPlan& leaf) const {
    const std::byte* data = scratch_ + leaf.scratch_offset;
    for (int k = 0; k < num_loops_; ++k) {
      data += (origin_[k] - tile_.begin[k]) * leaf.tile_strides[k];
    }
    return data;
  }

  // The block's first element of a leaf. A block that lies in more than one
  // segment is copied together.
  const std::byte* LeafData(int index) const {
    const LeafPlan& leaf = plan_.leaves[index];
    if (!leaf.tile_strides.empty()) return PackedData(leaf);
    const SegmentedBytes& source = *pass_.leaves[index];
    const int64_t offset = Offset(leaf.access);
    if (source.IsOnePiece()) return source.At(offset);
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

  // Asks for what the next block reads of a leaf.
  void FetchNextBlock(int index) {
    const LeafPlan& leaf = plan_.leaves[index];
    const SegmentedBytes& source = *pass_.leaves[index];
    if (!source.IsOnePiece()) return;
    int advancing = num_loops_ - 1;
    while (advancing >= 0 &&
           origin_[advancing] + tiling_.block_extents[advancing] >=
               tile_.end[advancing]) {
      --advancing;
    }
    if (advancing < 0) return;
    // Element by element: a copy of the origin would wait for its stores.
    const auto begin = [&](int k) {
      if (k < advancing) return origin_[k];
      return k > advancing ? tile_.begin[k]
                           : origin_[k] + tiling_.block_extents[k];
    };
    int64_t offset = leaf.access.base_bytes;
    bool is_whole = true;
    for (int k = 0; k < num_loops_; ++k) {
      offset += begin(k) * leaf.access.byte_strides[k];
      is_whole =
          is_whole && tile_.end[k] - begin(k) >= tiling_.block_extents[k];
    }
    const auto make = [&] {
      BoxFetch fetch(leaf.access.element_bytes);
      for (int k = 0; k < num_loops_; ++k) {
        fetch.AddDimension(
            std::min(tiling_.block_extents[k], tile_.end[k] - begin(k)),
            leaf.access.byte_strides[k]);
      }
      return fetch;
    };
    if (!is_whole) return make().Run(source.At(offset));
    std::optional<BoxFetch>& whole = fetches_[index];
    if (!whole) whole.emplace(make());
    whole->Run(source.At(offset));
  }

  static void AddDim(int64_t extent, int64_t source, int64_t destination,
                     BoxCopy::Dims& dims) {
    if (extent > 1) dims.push_back({extent, source, destination});
  }

  // Of the block at hand; without strides to or from dense scratch.
  BoxCopy MakeCopy(int64_t element_bytes, const DimVector* source_strides,
                   const DimVector* destination_strides) const {
    DimVector dense(extent_.size(), element_bytes);
    for (int k = num_loops_ - 2; k >= 0; --k) {
      dense[k] = dense[k + 1] * tiling_.block_extents[k + 1];
    }
    BoxCopy::Dims dims;
    for (int k = 0; k < num_loops_; ++k) {
      AddDim(
          extent_[k],
          source_strides == nullptr ? dense[k] : (*source_strides)[k],
          destination_strides == nullptr ? dense[k] : (*destination_strides)[k],
          dims);
    }
    return BoxCopy(element_bytes, std::move(dims));
  }

  // A copy of the block; `whole` is the place of what whole blocks share.
  void CopyBlock(int64_t element_bytes, const DimVector* source_strides,
                 const std::byte* source, const DimVector* destination_strides,
                 std::byte* destination, std::optional<BoxCopy>& whole,
                 BoxCopy::Route route = BoxCopy::Route::kCached) const {
    const auto make = [&] {
      return MakeCopy(element_bytes, source_strides, destination_strides);
    };
    RunBlock(whole, make, [&](const BoxCopy& copy) {
      copy.Run(kernels_.table(), source, destination, route);
    });
  }

  // With what is made for the block; `whole` keeps what whole blocks share.
  template <class Made, class Make, class Run>
  void RunBlock(std::optional<Made>& whole, Make make, Run run) const {
    if (!is_whole_) return run(make());
    if (!whole) whole.emplace(make());
    run(*whole);
  }

  // The block's indices along the dimension that an iota counts.
  void PackIota(const TensorAccess& access, int64_t* packed) const {
    const int inner = num_loops_ - 1;
    const int64_t cols = inner < 0 ? 1 : extent_[inner];
    const int64_t step = inner < 0 ? 0 : access.byte_strides[inner];
    const int64_t num_runs = rows_ * cols_ / cols;
    DimVector index(extent_.size(), 0);
    int64_t first = Offset(access);
    for (int64_t run = 0; run < num_runs; ++run, packed += pitch_) {
      for (int64_t c = 0; c < cols; ++c) packed[c] = first + c * step;
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
      FetchNextBlock(index);
      CopyBlock(bytes, &leaf.access.byte_strides, LeafData(index), nullptr,
                packed, packs_[index], packing_);
      return;
    }
    std::byte* raw = packed + Align64(tiling_.block_elements());
    CopyBlock(bytes, &leaf.access.byte_strides, LeafData(index), nullptr, raw,
              packs_[index], packing_);
    kernels_.table().Pred()((rows_ - 1) * pitch_ + cols_, raw, packed);
  }

  // Where a computation writes the block: straight into the result that it is
  // the source of, else into scratch.
  BlockResult ResultOf(const ComputationPlan& computation) const {
    if (computation.store < 0) {
      return {scratch_ + computation.scratch_offset,
              pitch_ * computation.element_bytes};
    }
    const TensorAccess& access = plan_.stores[computation.store].access;
    return {pass_.stores[computation.store].At(Offset(access)),
            tiling_.RowStride(access.byte_strides),
            plan_.stores[computation.store].past_cache};
  }

  void Compute(int index) {
    const ComputationPlan& computation = plan_.computations[index];
    const PassKernels::Call& call = kernels_.call(index);
    for (size_t m = call.first_moving; m < call.end_moving; ++m) {
      const PassKernels::MovingOperand& moving = kernels_.moving()[m];
      operands_[moving.operand].data = LeafData(moving.leaf);
      const LeafPlan& leaf = plan_.leaves[moving.leaf];
      // Along longer rows chains fetch for themselves.
      const bool is_fetched =
          !computation.chain.empty() &&
          cols_ * leaf.access.element_bytes >= kMinChainFetchedBytes;
      if (tiling_.transposed && leaf.tile_strides.empty() &&
          !leaf.access.repeated && !is_fetched) {
        FetchNextBlock(moving.leaf);
      }
    }
    kernels_.Run(index, rows_, cols_, operands_.data(), ResultOf(computation));
  }

  void Store(int index) {
    const StorePlan& store = plan_.stores[index];
    std::byte* destination = pass_.stores[index].At(Offset(store.access));
    const int64_t bytes = store.access.element_bytes;
    if (!store.source.is_leaf) {
      CopyBlock(
          bytes, nullptr,
          scratch_ + plan_.computations[store.source.index].scratch_offset,
          &store.access.byte_strides, destination, stores_[index]);
      return;
    }
    const LeafPlan& leaf = plan_.leaves[store.source.index];
    const DimVector* strides = &leaf.access.byte_strides;
    const std::byte* source;
    if (!leaf.tile_strides.empty()) {
      strides = &leaf.tile_strides;
      source = LeafData(store.source.index);
    } else if (leaf.scratch_offset >= 0) {
      strides = nullptr;
      source = scratch_ + leaf.scratch_offset;
    } else {
      source = LeafData(store.source.index);
      FetchNextBlock(store.source.index);
    }
    if (store.streams_row_gaps) {
      return StoreWithRowGaps(index, source, destination);
    }
    CopyBlock(bytes, strides, source, &store.access.byte_strides, destination,
              stores_[index],
              store.past_cache ? BoxCopy::Route::kPastCache
                               : BoxCopy::Route::kCached);
  }

  void StoreWithRowGaps(int index, const std::byte* source,
                        std::byte* destination) {
    const StorePlan& store = plan_.stores[index];
    const DimVector& strides =
        plan_.leaves[store.source.index].access.byte_strides;
    const int col = store.loops_by_stride[0];
    const int row = store.loops_by_stride[1];
    const auto make = [&] {
      const auto dim = [&](int k) {
        return BoxCopy::Dim{extent_[k], strides[k],
                            store.access.byte_strides[k]};
      };
      BoxCopy::Dims dims;
      for (int k = 0; k < num_loops_; ++k) {
        if (k != row && k != col && extent_[k] > 1) dims.push_back(dim(k));
      }
      dims.push_back(dim(row));
      dims.push_back(dim(col));
      return BoxCopy(store.access.element_bytes, std::move(dims));
    };
    const bool is_after_last =
        origin_[row] + extent_[row] < tiling_.loops[row].extent;
    RunBlock(stores_[index], make, [&](const BoxCopy& copy) {
      copy.RunWithRowGaps(kernels_.table(), source, store, is_after_last,
                          destination);
    });
  }

  // Then what it reads is in no cache either.
  bool WritesPastCache() const {
    return std::any_of(plan_.stores.begin(), plan_.stores.end(),
                       [](const StorePlan& store) { return store.past_cache; });
  }

  const BoundPass& pass_;
  const PassPlan& plan_;
  const Tiling& tiling_;
  const PassKernels& kernels_;
  const int num_loops_;
  const int64_t pitch_;  // elements from row to row in scratch
  const Tile& tile_;
  std::byte* const scratch_;
  absl::InlinedVector<BlockOperand, 8> operands_;  // of all computations
  DimVector origin_;                               // of the block
  DimVector extent_;                               // of the block
  int64_t rows_ = 1;
  int64_t cols_ = 1;
  bool is_first_ = true;  // of the tile's blocks
  bool is_whole_ = true;  // not cut off at the tile's edge
  // What whole blocks have in common, by leaf or by store; made at first use.
  absl::InlinedVector<std::optional<BoxCopy>, 4> packs_;
  absl::InlinedVector<std::optional<BoxFetch>, 4> fetches_;
  absl::InlinedVector<std::optional<BoxCopy>, 4> stores_;
  const BoxCopy::Route packing_;
};

}  // namespace

void RunTile(const BoundPass& pass, const Tile& tile, std::byte* scratch) {
  TileRunner(pass, tile, scratch).Run();
}

}  // namespace stridecast
