// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/pass_cut.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/plan/block_size.h"
#include "core/plan/loop_plan.h"
#include "stridecast/operation.h"
#include "stridecast/shape.h"

namespace stridecast {
namespace {

// Rows of so many bytes of the widest tensor are walked where they lie, for
// what a row costs beside its elements: least in a kernel of one vector a turn;
// a function computes a part of a vector as a whole one, a chain places its
// steps. Of rows up to the second it is better to make them flat by packing,
// once for all blocks of a tile, what these read alike.
struct LeastRow {
  int64_t bytes;
  int64_t bytes_packed_once;
};
constexpr LeastRow kLeastRowOfSimple = {64, 1024};
constexpr LeastRow kLeastRowOfFunction = {256, 1024};
constexpr LeastRow kLeastRowOfChain = {512, 2048};

class Cutter {
 public:
  Cutter(const Pass& pass, const Program& program,
         const PassPlanOptions& options, const PassPlan& plan,
         absl::Span<const BufferView> views)
      : pass_(pass),
        program_(program),
        options_(options),
        plan_(plan),
        views_(views),
        num_steps_(static_cast<int>(plan.computations.size())) {}

  PassCut Cut(double cost_per_element_ns) {
    TilingInput input;
    absl::InlinedVector<DimVector, 4> strides;
    for (const BufferView& view : views_) {
      input.element_bytes.push_back(view.element_bytes);
      strides.push_back(view.byte_strides);
    }
    input.lead = num_leaves();
    input.keeps_outermost = options_.in_parts;
    ChooseMinRows(input);
    input.loops = MakeLoops(pass_.space.extents(), strides, input.lead);
    LeadByGreatest(strides, input);
    const double tile_cost_ns =
        options_.tile_cost_ns > 0 ? options_.tile_cost_ns : kDefaultTileCostNs;
    input.tile_elements =
        static_cast<int64_t>(tile_cost_ns / cost_per_element_ns) + 1;
    if (num_steps_ > 1 || options_.block_bytes > 0 || !TileInPlace(input)) {
      input.block_elements = BlockElements(plan_, input.loops, options_);
      if (num_steps_ == 0 || options_.block_bytes > 0 || !OrderTiles(input)) {
        cut_.tiling = MakeTiling(input);
        if (PacksFromMemory(input)) TileFromMemory(input);
      }
    }
    return std::move(cut_);
  }

 private:
  int num_leaves() const { return static_cast<int>(plan_.leaves.size()); }

  // Rows that are short for what is computed along them.
  void ChooseMinRows(TilingInput& input) const {
    if (num_steps_ == 0) return;
    const LeastRow least = LeastRowOfSteps();
    const int64_t element_bytes = MostBytes(input);
    input.min_row_elements = least.bytes / element_bytes;
    input.min_row_elements_packed_once =
        least.bytes_packed_once / element_bytes;
  }

  LeastRow LeastRowOfSteps() const {
    const auto is_chain = [](const ComputationPlan& computation) {
      return !computation.chain.empty();
    };
    if (std::any_of(plan_.computations.begin(), plan_.computations.end(),
                    is_chain)) {
      return kLeastRowOfChain;
    }
    const auto is_simple = [&](const auto& computation) {
      const Opcode opcode = program_.instruction(computation.value).opcode;
      return OperationOf(opcode).cost == Cost::kSimple;
    };
    return std::all_of(pass_.computations.begin(), pass_.computations.end(),
                       is_simple)
               ? kLeastRowOfSimple
               : kLeastRowOfFunction;
  }

  // Computing in the order of a result brings the operands into order, else it
  // is the result that is brought into order after: better, where it has the
  // fewer bytes. Not where other loops than the first result's would be
  // outermost, lest results that stream do so no more.
  void LeadByGreatest(absl::Span<const DimVector> strides,
                      TilingInput& input) const {
    if (num_steps_ == 0 || plan_.stores.size() != 1 || input.loops.empty()) {
      return;
    }
    for (int i = 0; i < num_leaves(); ++i) {
      if (Repeats(input.loops, i) || plan_.leaves[i].source == Source::kIota ||
          input.element_bytes[i] <= input.element_bytes[input.lead]) {
        continue;
      }
      std::vector<Loop> loops = MakeLoops(pass_.space.extents(), strides, i);
      if (loops[0].extent != input.loops[0].extent ||
          loops[0].byte_strides != input.loops[0].byte_strides) {
        continue;
      }
      input.lead = i;
      input.loops = std::move(loops);
    }
  }

  // A single step on tensors that all lie right, or are packed once, uses
  // nothing twice: its blocks need not stay in L1. True if it is one.
  bool TileInPlace(TilingInput& input) {
    input.block_elements = kStreamedBlockBytes / MostBytes(input);
    Tiling tiling = MakeTiling(input);
    if (const int64_t elements = SegmentedElements(tiling);
        elements < tiling.block_elements() &&
        elements >= BlockElements(plan_, input.loops, options_)) {
      input.block_elements = elements;
      tiling = MakeTiling(input);
    }
    for (int t = 0; t < static_cast<int>(views_.size()); ++t) {
      const bool is_leaf = t < num_leaves();
      if (is_leaf && (plan_.leaves[t].normalize_pred ||
                      plan_.leaves[t].source == Source::kIota)) {
        return false;
      }
      if (!IsInPlace(tiling, t, input.element_bytes[t], is_leaf) &&
          !(is_leaf && IsSameInAllBlocks(tiling, t))) {
        return false;
      }
    }
    cut_.tiling = std::move(tiling);
    return true;
  }

  // Of the most rows of a block that can be read from segments.
  int64_t SegmentedElements(const Tiling& tiling) const {
    if (tiling.flat || tiling.loops.size() < 2) return tiling.block_elements();
    const size_t row_loop = tiling.loops.size() - 2;
    const int64_t rows = tiling.block_extents[row_loop];
    int64_t most_rows = rows;
    for (int i = 0; i < num_leaves(); ++i) {
      const int64_t pitch = std::abs(tiling.loops[row_loop].byte_strides[i]);
      if (plan_.leaves[i].source != Source::kOperand || pitch == 0) continue;
      const int64_t row_bytes =
          BlockSpanBytes(tiling, i, views_[i].element_bytes) -
          (rows - 1) * pitch;
      const int64_t left =
          std::max<int64_t>(kMaxSegmentedSpanBytes - row_bytes, 0);
      most_rows = std::min(most_rows, 1 + left / pitch);
    }
    return most_rows * tiling.block_extents.back();
  }

  // True if an operand is packed block by block, and so large results are made
  // of it that it is in no cache.
  bool PacksFromMemory(const TilingInput& input) const {
    const auto is_large = [&](const StorePlan& store) {
      return store.size_bytes > options_.cache.computed_bytes;
    };
    if (cut_.tiling.transposed ||
        !std::all_of(plan_.stores.begin(), plan_.stores.end(), is_large)) {
      return false;
    }
    for (int i = 0; i < num_leaves(); ++i) {
      if (plan_.leaves[i].source == Source::kOperand &&
          !IsInPlace(cut_.tiling, i, input.element_bytes[i], true) &&
          !IsSameInAllBlocks(cut_.tiling, i)) {
        return true;
      }
    }
    return false;
  }

  // With larger blocks, as far as their operands are read from segments.
  void TileFromMemory(TilingInput& input) {
    const int64_t least = input.block_elements;
    for (int64_t elements =
             BlockElementsFromMemory(plan_, input.loops, options_);
         elements > least; elements /= 2) {
      input.block_elements = elements;
      Tiling tiling = MakeTiling(input);
      if (!AreSegmented(tiling)) continue;
      cut_.tiling = std::move(tiling);
      return;
    }
  }

  bool AreSegmented(const Tiling& tiling) const {
    for (int i = 0; i < num_leaves(); ++i) {
      if (plan_.leaves[i].source == Source::kOperand &&
          BlockSpanBytes(tiling, i, views_[i].element_bytes) >
              kMaxSegmentedSpanBytes) {
        return false;
      }
    }
    return true;
  }

  // True if what lies across is packed for whole tiles; all results must be
  // written in place.
  bool OrderTiles(TilingInput& input) {
    input.orders_tiles = true;
    Tiling tiling = MakeTiling(input);
    input.orders_tiles = false;
    if (!tiling.transposed) return false;
    for (int t = num_leaves(); t < static_cast<int>(views_.size()); ++t) {
      if (!IsInPlace(tiling, t, input.element_bytes[t], false)) return false;
    }
    tiling.mirrored = ReadsMirrored(tiling);
    cut_.tiling = std::move(tiling);
    cut_.orders_tiles = true;
    return true;
  }

  // True if one source is read along both of the two innermost loops, whose
  // tiles are square: what one tile reads, its mirror image reads again.
  bool ReadsMirrored(const Tiling& tiling) const {
    const size_t col = tiling.loops.size() - 1;
    const size_t row = col - 1;
    if (tiling.loops[row].extent != tiling.loops[col].extent ||
        tiling.tile_extents[row] != tiling.tile_extents[col]) {
      return false;
    }
    const auto mirrors = [&](int a, int b) {
      if (plan_.leaves[a].source != plan_.leaves[b].source ||
          plan_.leaves[a].index != plan_.leaves[b].index) {
        return false;
      }
      for (size_t k = 0; k <= col; ++k) {
        const size_t mirrored = k == row ? col : k == col ? row : k;
        if (tiling.loops[k].byte_strides[a] !=
            tiling.loops[mirrored].byte_strides[b]) {
          return false;
        }
      }
      return tiling.loops[row].byte_strides[a] !=
             tiling.loops[col].byte_strides[a];
    };
    for (int a = 0; a < num_leaves(); ++a) {
      for (int b = 0; b < a; ++b) {
        if (mirrors(a, b)) return true;
      }
    }
    return false;
  }

  const Pass& pass_;
  const Program& program_;
  const PassPlanOptions& options_;
  const PassPlan& plan_;
  const absl::Span<const BufferView> views_;  // by tensor
  const int num_steps_;  // computations, those of a chain as one
  PassCut cut_;
};

}  // namespace

PassCut CutPass(const Pass& pass, const Program& program,
                const PassPlanOptions& options, const PassPlan& plan,
                absl::Span<const BufferView> views,
                double cost_per_element_ns) {
  return Cutter(pass, program, options, plan, views).Cut(cost_per_element_ns);
}

}  // namespace stridecast
