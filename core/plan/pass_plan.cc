// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/pass_plan.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

#include "core/plan/buffer_view.h"
#include "core/plan/cost.h"
#include "core/plan/pass_cut.h"
#include "core/plan/pass_scratch.h"

namespace stridecast {
namespace {

TensorDesc DenseDesc(const ValueType& value) {
  // Inference has checked that it exists.
  return *TensorDesc::Create(value.type, value.shape);
}

// Builds one PassPlan; the members are what the steps hand on.
class Builder {
 public:
  Builder(const Pass& pass, const Program& program,
          absl::Span<const ValueType> temporaries,
          const PassPlanOptions& options)
      : pass_(pass),
        program_(program),
        temporaries_(temporaries),
        options_(options) {}

  PassPlan Build() {
    AddTensors();
    plan_.num_elements = static_cast<double>(pass_.space.num_elements());
    plan_.empty = pass_.space.num_elements() == 0;
    if (plan_.empty) return std::move(plan_);
    AddComputations();
    MakeLoopsAndTiles();
    ComputeIntoStores();
    AddActions();
    PlaceScratch(plan_);
    for (size_t s = 0; s < plan_.stores.size(); ++s) {
      AddGaps(plan_.stores[s]);
      plan_.stores[s].past_cache = IsPastCache(static_cast<int>(s));
      plan_.stores[s].streams_row_gaps = StreamsRowGaps(plan_.stores[s]);
    }
    AddRelayout();
    return std::move(plan_);
  }

 private:
  template <typename T>
  const T& AttributeOf(int value) const {
    return std::get<T>(program_.instruction(value).attribute);
  }

  BufferView ViewSource(const Leaf& leaf) const {
    switch (leaf.source) {
      case Source::kOperand:
        return ViewAs(program_.operands()[leaf.index], leaf);
      case Source::kConstant:
        return ViewAs(AttributeOf<ConstantAttribute>(leaf.index).desc, leaf);
      case Source::kTemporary:
        return ViewAs(DenseDesc(temporaries_[leaf.index]), leaf);
      case Source::kIota:
        break;
    }
    return ViewIota(AttributeOf<IotaAttribute>(leaf.index), leaf.view);
  }

  static BufferView ViewAs(const TensorDesc& desc, const Leaf& leaf) {
    if (!leaf.flat) return ViewBuffer(desc, leaf.view);
    const int64_t num_elements = desc.size_bytes() / ElementBytes(leaf.type);
    return ViewBuffer(*TensorDesc::Create(leaf.type, {num_elements}),
                      leaf.view);
  }

  // Leaves come first in the numbering of tensors, then stores.
  void AddTensors() {
    views_.reserve(pass_.leaves.size() + pass_.stores.size());
    plan_.leaves.reserve(pass_.leaves.size());
    plan_.stores.reserve(pass_.stores.size());
    for (const Leaf& leaf : pass_.leaves) {
      views_.push_back(ViewSource(leaf));
      LeafPlan plan{leaf.source, leaf.index, leaf.type, {}};
      plan.normalize_pred =
          leaf.type == DType::kPred && leaf.source != Source::kTemporary;
      plan.access.element_bytes = ElementBytes(leaf.type);
      plan.access.base_bytes = views_.back().base_bytes;
      plan_.leaves.push_back(std::move(plan));
    }
    for (const PassStore& store : pass_.stores) {
      if (store.is_result) {
        AddStore(store, program_.results()[store.index]);
      } else {
        AddStore(store, DenseDesc(temporaries_[store.index]));
      }
    }
  }

  void AddStore(const PassStore& store, const TensorDesc& desc) {
    views_.push_back(ViewBuffer(desc, store.view));
    StorePlan plan{store.is_result, store.index, store.source, {}};
    plan.is_part = store.is_part;
    plan.access.element_bytes = views_.back().element_bytes;
    plan.access.base_bytes = views_.back().base_bytes;
    plan.size_bytes = desc.size_bytes();
    plan.fill = PaddingPattern(desc.type(), desc.layout().padding_value());
    plan.fill_is_zero =
        std::all_of(std::begin(plan.fill.bytes), std::end(plan.fill.bytes),
                    [](std::byte b) { return b == std::byte{0}; });
    plan_.stores.push_back(std::move(plan));
  }

  void AddComputations() {
    absl::InlinedVector<ValueRef, 4> sources;
    for (const StorePlan& store : plan_.stores) sources.push_back(store.source);
    std::vector<ChainedComputation> computations =
        ChainComputations(pass_, program_, absl::MakeSpan(sources));
    for (size_t s = 0; s < sources.size(); ++s) {
      plan_.stores[s].source = sources[s];
    }
    plan_.computations.reserve(computations.size());
    for (ChainedComputation& computation : computations) {
      plan_.computations.push_back(
          {computation.value, std::move(computation.inputs),
           ElementBytes(program_.value(computation.value).type),
           std::move(computation.steps), computation.types});
    }
    num_steps_ = static_cast<int>(plan_.computations.size());
  }

  int num_leaves() const { return static_cast<int>(plan_.leaves.size()); }

  double CostPerElementNs() const {
    double cost_ns = 0;
    for (const Computation& computation : pass_.computations) {
      cost_ns += OperationCostNs(program_.instruction(computation.value).opcode,
                                 program_.inference(computation.value).subject);
    }
    for (const BufferView& view : views_) {
      cost_ns += kMemoryNsPerByte * static_cast<double>(view.element_bytes);
    }
    return cost_ns;
  }

  void MakeLoopsAndTiles() {
    const double cost_per_element_ns = CostPerElementNs();
    plan_.cost_ns = cost_per_element_ns * plan_.num_elements;
    PassCut cut =
        CutPass(pass_, program_, options_, plan_, views_, cost_per_element_ns);
    plan_.tiling = std::move(cut.tiling);
    for (int t = 0; t < static_cast<int>(views_.size()); ++t) {
      FinishAccess(t, t < num_leaves() ? plan_.leaves[t].access
                                       : plan_.stores[t - num_leaves()].access);
    }
    for (int i = 0; i < num_leaves(); ++i) {
      LeafPlan& leaf = plan_.leaves[i];
      leaf.span_bytes =
          BlockSpanBytes(plan_.tiling, i, leaf.access.element_bytes);
      if (leaf.span_bytes > kMaxSegmentedSpanBytes) leaf.span_bytes = -1;
      leaf.packed_once =
          !leaf.access.in_place && IsSameInAllBlocks(plan_.tiling, i);
      if (cut.orders_tiles && !leaf.access.in_place && !leaf.packed_once &&
          !leaf.normalize_pred && leaf.source != Source::kIota) {
        leaf.tile_strides = TileStrides(leaf.access.element_bytes);
        leaf.span_bytes = -1;
      }
    }
  }

  // Row-major strides of a whole tile.
  DimVector TileStrides(int64_t element_bytes) const {
    const DimVector& extents = plan_.tiling.tile_extents;
    DimVector strides(extents.size(), element_bytes);
    for (size_t k = extents.size() - 1; k-- > 0;) {
      strides[k] = strides[k + 1] * extents[k + 1];
    }
    return strides;
  }

  void FinishAccess(int tensor, TensorAccess& access) const {
    const Tiling& tiling = plan_.tiling;
    for (const Loop& loop : tiling.loops) {
      access.byte_strides.push_back(loop.byte_strides[tensor]);
    }
    const bool is_leaf = tensor < num_leaves();
    if (is_leaf && plan_.leaves[tensor].source == Source::kIota) return;
    access.in_place = IsInPlace(tiling, tensor, access.element_bytes, is_leaf);
    access.repeated =
        access.in_place && !IsInPlace(tiling, tensor, access.element_bytes,
                                      /*may_repeat=*/false);
  }

  // What one store alone reads is computed into it.
  void ComputeIntoStores() {
    absl::InlinedVector<int, 8> readers(plan_.computations.size(), 0);
    for (const ComputationPlan& computation : plan_.computations) {
      for (const ValueRef& input : computation.inputs) {
        if (!input.is_leaf) ++readers[input.index];
      }
    }
    for (int s = 0; s < static_cast<int>(plan_.stores.size()); ++s) {
      const StorePlan& store = plan_.stores[s];
      if (store.source.is_leaf) continue;
      ComputationPlan& computation = plan_.computations[store.source.index];
      const bool only_reader = readers[store.source.index]++ == 0;
      computation.store = only_reader && store.access.in_place ? s : -1;
    }
  }

  void AddActions() {
    absl::InlinedVector<bool, 8> packed(plan_.leaves.size(), false);
    plan_.actions.reserve(plan_.leaves.size() + plan_.computations.size() +
                          plan_.stores.size());
    const auto pack = [&](const ValueRef& ref) {
      if (!ref.is_leaf || packed[ref.index] || !IsPacked(plan_, ref.index)) {
        return;
      }
      packed[ref.index] = true;
      plan_.actions.push_back({Action::Kind::kPack, ref.index});
    };
    for (int i = 0; i < num_steps_; ++i) {
      for (const ValueRef& input : plan_.computations[i].inputs) pack(input);
      plan_.actions.push_back({Action::Kind::kCompute, i});
    }
    for (int s = 0; s < static_cast<int>(plan_.stores.size()); ++s) {
      const ValueRef& source = plan_.stores[s].source;
      pack(source);
      if (!source.is_leaf && plan_.computations[source.index].store == s) {
        continue;
      }
      plan_.actions.push_back({Action::Kind::kStore, s});
    }
  }

  // Unique strides nest: each exceeds the reach of all smaller ones, and what
  // lies between is a gap.
  void AddGaps(StorePlan& store) const {
    if (!store.is_result || store.is_part) return;
    const TensorAccess& access = store.access;
    const int num_loops = static_cast<int>(access.byte_strides.size());
    for (int k = num_loops - 1; k >= 0; --k) store.loops_by_stride.push_back(k);
    std::sort(store.loops_by_stride.begin(), store.loops_by_stride.end(),
              [&](int a, int b) {
                return access.byte_strides[a] != access.byte_strides[b]
                           ? access.byte_strides[a] < access.byte_strides[b]
                           : a > b;
              });
    int64_t reach = access.element_bytes;
    for (int position = 0; position < num_loops; ++position) {
      const int k = store.loops_by_stride[position];
      const int64_t stride = access.byte_strides[k];
      assert(stride >= reach);
      if (stride > reach) {
        store.gaps.push_back({position, reach, stride - reach});
      }
      reach += (plan_.tiling.loops[k].extent - 1) * stride;
    }
    store.reach_bytes = reach;
    store.has_gaps = !store.gaps.empty() || access.base_bytes > 0 ||
                     reach < store.size_bytes;
  }

  // What goes through scratch is not.
  bool IsPastCache(int s) const {
    const StorePlan& store = plan_.stores[s];
    const int64_t cache_bytes = store.source.is_leaf
                                    ? options_.cache.moved_bytes
                                    : options_.cache.computed_bytes;
    if (!store.is_result || store.size_bytes <= cache_bytes) return false;
    if (store.source.is_leaf) {
      // Transposing, and rows with gaps between them, pay on every CPU.
      return options_.cache.stores_past || !store.gaps.empty() ||
             plan_.tiling.transposed;
    }
    return options_.cache.stores_past && !HasShortRows(store) &&
           plan_.computations[store.source.index].store == s;
  }

  // So short that the lines at their ends, which are written plainly in any
  // case, outweigh those that could bypass the caches.
  bool HasShortRows(const StorePlan& store) const {
    constexpr int64_t kMinRowBytes = 512;
    const std::vector<Loop>& loops = plan_.tiling.loops;
    // Flat blocks are runs of many rows.
    if (plan_.tiling.flat || loops.size() < 2) return false;
    const int64_t row_bytes = loops.back().extent * store.access.element_bytes;
    return row_bytes < kMinRowBytes && row_bytes % kLineBytes != 0;
  }

  // Whole rows, dense on both sides, of which a few fit into the stage.
  bool StreamsRowGaps(const StorePlan& store) const {
    if (!store.past_cache || !store.source.is_leaf || store.gaps.empty() ||
        store.gaps[0].position != 1) {
      return false;
    }
    const LeafPlan& leaf = plan_.leaves[store.source.index];
    const TensorAccess& access = store.access;
    const int col = store.loops_by_stride[0];
    const int row = store.loops_by_stride[1];
    return leaf.tile_strides.empty() && leaf.scratch_offset < 0 &&
           access.byte_strides[col] == access.element_bytes &&
           leaf.access.byte_strides[col] == access.element_bytes &&
           plan_.tiling.block_extents[col] == plan_.tiling.loops[col].extent &&
           access.byte_strides[row] <= kStageBytes / 4;
  }

  // Of a result that is only moved. A temporary is read at once.
  CacheFit FitOf(const StorePlan& store) const {
    if (!store.is_result) return CacheFit::kFits;
    if (store.size_bytes > options_.cache.moved_bytes) return CacheFit::kNot;
    return store.size_bytes > options_.cache.boxed_bytes ? CacheFit::kBarely
                                                         : CacheFit::kFits;
  }

  // Tests ask for blocks of their own.
  void AddRelayout() {
    if (num_steps_ > 0 || plan_.leaves.size() != 1 ||
        plan_.stores.size() != 1 || options_.block_bytes > 0) {
      return;
    }
    const LeafPlan& leaf = plan_.leaves[0];
    const StorePlan& store = plan_.stores[0];
    if (leaf.source == Source::kIota || leaf.normalize_pred || store.has_gaps) {
      return;
    }
    const CacheFit fit = FitOf(store);
    const int64_t element_bytes = leaf.access.element_bytes;
    if (auto strips = MakeStripPlan(plan_.tiling.loops, element_bytes,
                                    /*past_cache=*/fit == CacheFit::kNot)) {
      plan_.relayout = std::make_unique<RelayoutPlan>(*std::move(strips));
    } else if (auto boxes =
                   MakeBoxPlan(plan_.tiling.loops, element_bytes, fit)) {
      plan_.relayout = std::make_unique<RelayoutPlan>(*std::move(boxes));
    }
  }

  const Pass& pass_;
  const Program& program_;
  const absl::Span<const ValueType> temporaries_;
  const PassPlanOptions options_;
  int num_steps_ = 0;  // computations, those of a chain as one
  absl::InlinedVector<BufferView, 4> views_;  // by tensor
  PassPlan plan_;
};

}  // namespace

bool PassPlan::StreamsResults() const {
  if (empty || tiling.loops.empty()) return false;
  return std::all_of(stores.begin(), stores.end(), [](const StorePlan& store) {
    return store.is_result && !store.is_part &&
           store.loops_by_stride.back() == 0;
  });
}

bool PassPlan::StreamsLeaf(const LeafPlan& leaf) const {
  if (leaf.source != Source::kOperand || leaf.span_bytes < 0) return false;
  int64_t reach = leaf.access.element_bytes;
  for (size_t k = 1; k < tiling.loops.size(); ++k) {
    reach +=
        (tiling.loops[k].extent - 1) * std::abs(leaf.access.byte_strides[k]);
  }
  return leaf.access.byte_strides[0] >= reach;
}

PassPlan MakePassPlan(const Pass& pass, const Program& program,
                      absl::Span<const ValueType> temporaries,
                      const PassPlanOptions& options) {
  return Builder(pass, program, temporaries, options).Build();
}

}  // namespace stridecast
