// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/engine/plan_impl.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <utility>
#include <variant>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "core/exec/box_runner.h"
#include "core/exec/fp_environment.h"
#include "core/exec/gaps.h"
#include "core/exec/single_block.h"
#include "core/exec/strip_runner.h"
#include "core/exec/tile_runner.h"
#include "core/plan/scratch.h"

namespace stridecast {
namespace {

// Handing work to another thread and back costs about half of this; what takes
// less is done sooner by the calling thread alone.
constexpr double kMinSharedNs = 20e3;

// A CONCATENATE has a pass for each operand.
constexpr size_t kMaxPassesInText = 64;

int64_t Align64(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// A pass' range of outer steps as a grid of tiles.
class TileGrid {
 public:
  TileGrid(const Tiling& tiling, int64_t begin, int64_t end) : tiling_(tiling) {
    for (size_t k = 0; k < tiling.loops.size(); ++k) {
      box_.begin.push_back(k == 0 ? begin : 0);
      box_.end.push_back(k == 0 ? end : tiling.loops[k].extent);
      const int64_t extent = box_.end[k] - box_.begin[k];
      const int64_t tile_extent = tiling.tile_extents[k];
      counts_.push_back(
          extent <= tile_extent ? 1 : (extent + tile_extent - 1) / tile_extent);
      num_tiles_ *= counts_[k];
    }
  }

  int64_t num_tiles() const { return num_tiles_; }
  // All of it.
  const Tile& box() const { return box_; }

  Tile TileAt(int64_t number) const {
    if (tiling_.mirrored) number = Mirrored(number);
    Tile tile = box_;
    for (size_t k = counts_.size(); k-- > 0;) {
      tile.begin[k] += number % counts_[k] * tiling_.tile_extents[k];
      tile.end[k] =
          std::min(tile.end[k], tile.begin[k] + tiling_.tile_extents[k]);
      number /= counts_[k];
    }
    return tile;
  }

 private:
  // Of the two innermost loops' squares: (1,0), (0,1), (2,0), (0,2), (2,1), ...
  // and at last the diagonal.
  int64_t Mirrored(int64_t number) const {
    const int64_t side = counts_.back();
    if (counts_[counts_.size() - 2] != side) return number;
    const int64_t square = number / (side * side);
    number -= square * side * side;
    const int64_t off_diagonal = side * (side - 1);
    int64_t row = number - off_diagonal;
    int64_t col = row;
    if (number < off_diagonal) {
      // Pairs before those of a row: row * (row - 1) / 2.
      const int64_t pair = number / 2;
      row = static_cast<int64_t>(
          (1 + std::sqrt(1 + 8 * static_cast<double>(pair))) / 2);
      if (row * (row - 1) / 2 > pair) --row;
      if ((row + 1) * row / 2 <= pair) ++row;
      col = pair - row * (row - 1) / 2;
      if (number % 2 == 1) std::swap(row, col);
    }
    return (square * side + row) * side + col;
  }

  const Tiling& tiling_;
  Tile box_;
  DimVector counts_;
  int64_t num_tiles_ = 1;
};

BoundKernel KernelOf(const KernelTable& table, const Program& program,
                     int value) {
  const Instruction& instruction = program.instruction(value);
  if (instruction.opcode == Opcode::kIota) {
    const DType type = program.value(value).type;
    return {table.Find(Opcode::kConvert, DType::kS64, ConvertAttribute{type}),
            {}};
  }
  const DType subject = program.inference(value).subject;
  return {table.Find(instruction.opcode, subject, instruction.attribute),
          ParametersOf(instruction.opcode, subject, instruction.attribute)};
}

std::vector<BoundKernel> KernelsOf(const KernelTable& table,
                                   const Program& program,
                                   const PassPlan& plan) {
  std::vector<BoundKernel> kernels;
  kernels.reserve(plan.computations.size());
  for (const ComputationPlan& computation : plan.computations) {
    kernels.push_back(computation.chain.empty()
                          ? KernelOf(table, program, computation.value)
                          : BoundKernel{});
  }
  return kernels;
}

// Where the last element of an outer step lies in the leaf's buffer, or the
// first.
int64_t EndOfStep(const PassPlan& pass, const LeafPlan& leaf, int64_t step,
                  bool is_last) {
  const DimVector& strides = leaf.access.byte_strides;
  int64_t position = leaf.access.base_bytes + step * strides[0];
  for (size_t k = 1; k < strides.size(); ++k) {
    if ((strides[k] > 0) != is_last) continue;
    position += (pass.tiling.loops[k].extent - 1) * strides[k];
  }
  return position;
}

}  // namespace

PlanImpl::PlanImpl(Program program, const PassPlanOptions& options,
                   const Executor& executor, const KernelTable& kernels)
    : program_(std::move(program)), executor_(executor), kernels_(kernels) {
  const NormalProgram normal = Normalize(program_);
  passes_.reserve(normal.passes.size());
  // A tile's time is how long a cancelled caller may wait. Tests ask for blocks
  // and tiles of their own.
  const bool has_defaults =
      options.block_bytes == 0 && options.tile_cost_ns == 0;
  const double max_block_ns = !has_defaults                 ? 0
                              : executor.num_threads() == 1 ? kDefaultTileCostNs
                                                            : kMinSharedNs;
  for (const Pass& pass : normal.passes) {
    PassPlan plan = MakePassPlan(pass, program_, normal.temporaries, options);
    PassKernels pass_kernels(plan, kernels, KernelsOf(kernels, program_, plan));
    cost_ns_ += plan.cost_ns;
    const bool is_single_block =
        plan.cost_ns < max_block_ns && IsSingleBlock(plan);
    passes_.push_back(
        {std::move(plan), std::move(pass_kernels), is_single_block});
  }
  PlaceScratch(normal.temporaries);
  DecideStreaming();
}

// Passes run one after the other: a temporary shares memory with those that are
// read for the last time before it is stored.
bool PlanImpl::PlaceTemporaries(absl::Span<const ValueType> temporaries) {
  if (temporaries.empty()) return true;
  struct Use {
    int temporary;
    Lifetime lifetime;
  };
  std::vector<Use> uses;
  int64_t total_bytes = 0;
  for (const ValueType& type : temporaries) {
    const int64_t bytes = type.shape.num_elements() * ElementBytes(type.type);
    // A program of many huge temporaries must come out as too large, not wrap.
    if (bytes > std::numeric_limits<int64_t>::max() - 63 ||
        __builtin_add_overflow(total_bytes, Align64(bytes), &total_bytes)) {
      return false;
    }
    temporary_bytes_.push_back(bytes);
    uses.push_back({static_cast<int>(uses.size()), {-1, 0, bytes}});
  }
  for (int p = 0; p < static_cast<int>(passes_.size()); ++p) {
    for (const StorePlan& store : passes_[p].plan.stores) {
      // Several passes may each store a part of it.
      if (store.is_result) continue;
      int& first = uses[store.index].lifetime.first;
      if (first < 0) first = p;
    }
    for (const LeafPlan& leaf : passes_[p].plan.leaves) {
      if (leaf.source == Source::kTemporary) uses[leaf.index].lifetime.last = p;
    }
  }
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
    return a.lifetime.first < b.lifetime.first;
  });
  std::vector<Lifetime> lifetimes;
  for (const Use& use : uses) lifetimes.push_back(use.lifetime);
  const ScratchPlan plan = AssignScratch(lifetimes);
  temporary_offsets_.resize(uses.size());
  for (size_t i = 0; i < uses.size(); ++i) {
    temporary_offsets_[uses[i].temporary] = plan.offsets[i];
  }
  threads_offset_ = plan.size_bytes;
  return true;
}

void PlanImpl::PlaceScratch(absl::Span<const ValueType> temporaries) {
  if (!PlaceTemporaries(temporaries)) {
    scratch_bytes_ = std::numeric_limits<int64_t>::max();
    return;
  }
  for (const PassEntry& pass : passes_) {
    thread_scratch_bytes_ =
        std::max(thread_scratch_bytes_, pass.plan.scratch_bytes);
    if (pass.plan.relayout) {
      const int64_t bytes = std::visit(
          [](const auto& relayout) { return RelayoutScratchBytes(relayout); },
          *pass.plan.relayout);
      thread_scratch_bytes_ = std::max(thread_scratch_bytes_, bytes);
    }
  }
  if (__builtin_add_overflow(threads_offset_,
                             thread_scratch_bytes_ * executor_.num_threads(),
                             &scratch_bytes_)) {
    scratch_bytes_ = std::numeric_limits<int64_t>::max();
  }
}

// Only the last pass is cut into outer steps; those before it belong to the
// first step. So all results must be stored by the last pass, and an operand is
// streamed if the last pass alone reads it.
void PlanImpl::DecideStreaming() {
  streamed_.assign(program_.operands().size(), false);
  if (passes_.empty()) return;
  const PassPlan& last = passes_.back().plan;
  if (!last.StreamsResults() || last.stores.size() != results().size()) return;
  num_outer_steps_ = last.tiling.loops[0].extent;
  streamed_.assign(program_.operands().size(), true);
  for (const PassEntry& pass : passes_) {
    for (const LeafPlan& leaf : pass.plan.leaves) {
      if (leaf.source != Source::kOperand) continue;
      if (&pass.plan != &last || !last.StreamsLeaf(leaf)) {
        streamed_[leaf.index] = false;
      }
    }
  }
}

int64_t PlanImpl::OperandBytes(int operand, int64_t end_step) const {
  if (!streamed_[operand]) return program_.operands()[operand].size_bytes();
  if (end_step <= 0) return 0;
  const PassPlan& last = passes_.back().plan;
  int64_t bytes = 0;
  for (const LeafPlan& leaf : last.leaves) {
    if (leaf.source != Source::kOperand || leaf.index != operand) continue;
    bytes = std::max(bytes, EndOfStep(last, leaf, end_step - 1, true) +
                                leaf.access.element_bytes);
  }
  return bytes;
}

int64_t PlanImpl::OperandBegin(int operand, int64_t begin_step) const {
  if (!streamed_[operand]) return 0;
  const PassPlan& last = passes_.back().plan;
  int64_t begin = program_.operands()[operand].size_bytes();
  for (const LeafPlan& leaf : last.leaves) {
    if (leaf.source != Source::kOperand || leaf.index != operand) continue;
    begin = std::min(begin, EndOfStep(last, leaf, begin_step, false));
  }
  return begin;
}

int64_t PlanImpl::ResultBytes(int result, int64_t end_step) const {
  if (end_step <= 0) return 0;
  if (end_step >= num_outer_steps_) return results()[result].size_bytes();
  for (const StorePlan& store : passes_.back().plan.stores) {
    if (store.index != result) continue;
    return store.access.base_bytes + end_step * store.access.byte_strides[0];
  }
  return 0;
}

std::string PlanImpl::ToString() const {
  std::string text;
  absl::StrAppend(
      &text, passes_.size(), passes_.size() == 1 ? " pass" : " passes", ", ",
      num_outer_steps_, num_outer_steps_ == 1 ? " outer step" : " outer steps",
      ", scratch ", scratch_bytes_, " bytes, about ",
      static_cast<int64_t>(cost_ns_), " ns of one core, ", kernels_.target(),
      "\n");
  for (size_t i = 0; i < passes_.size(); ++i) {
    if (i == kMaxPassesInText) {
      absl::StrAppend(&text, "and ", passes_.size() - i, " more passes\n");
      break;
    }
    absl::StrAppend(&text, "pass ", i, "\n",
                    PassPlanToString(passes_[i].plan, program_));
  }
  return text;
}

int64_t PlanImpl::memory_bytes() const {
  // Twice what the parts have in themselves: many hold vectors.
  size_t bytes = program_.num_values() * (sizeof(Instruction) + 512);
  for (const PassEntry& pass : passes_) {
    const PassPlan& plan = pass.plan;
    bytes += sizeof(PassEntry) + (plan.relayout ? sizeof(RelayoutPlan) : 0) +
             plan.tiling.loops.size() * sizeof(Loop) +
             plan.leaves.size() * (sizeof(LeafPlan) + sizeof(BlockOperand)) +
             plan.computations.size() *
                 (sizeof(ComputationPlan) + sizeof(PassKernels::Call)) +
             plan.stores.size() * sizeof(StorePlan) +
             plan.actions.size() * sizeof(Action);
  }
  return static_cast<int64_t>(2 * bytes);
}

bool PlanImpl::RunPass(const PassEntry& pass, const Bindings& bindings,
                       int64_t begin, int64_t end, CancelToken cancel) const {
  const PassPlan& plan = pass.plan;
  absl::InlinedVector<StoreBuffer, 4> stores;
  for (const StorePlan& store : plan.stores) {
    if (store.is_result) {
      stores.push_back({bindings.results[store.index].data(),
                        bindings.result_begins.empty()
                            ? 0
                            : bindings.result_begins[store.index]});
    } else {
      stores.push_back(
          {bindings.scratch.data() + temporary_offsets_[store.index], 0});
    }
  }
  if (plan.empty) {
    for (size_t s = 0; s < stores.size(); ++s) {
      if (plan.stores[s].is_result) FillStore(plan.stores[s], stores[s].data);
    }
    return true;
  }
  absl::InlinedVector<SegmentedBytes, 4> held;  // never grows past reserve
  held.reserve(plan.leaves.size());
  absl::InlinedVector<const SegmentedBytes*, 4> leaves;
  for (const LeafPlan& leaf : plan.leaves) {
    switch (leaf.source) {
      case Source::kOperand:
        leaves.push_back(&bindings.operands[leaf.index]);
        continue;
      case Source::kConstant: {
        const std::string& data =
            std::get<ConstantAttribute>(
                program_.instruction(leaf.index).attribute)
                .data;
        held.emplace_back(reinterpret_cast<const std::byte*>(data.data()),
                          static_cast<int64_t>(data.size()));
        break;
      }
      case Source::kTemporary:
        held.emplace_back(
            bindings.scratch.data() + temporary_offsets_[leaf.index],
            temporary_bytes_[leaf.index]);
        break;
      case Source::kIota:
        held.emplace_back();  // made up where it is needed
        break;
    }
    leaves.push_back(&held.back());
  }

  const auto thread_scratch = [&](int worker) {
    return bindings.scratch.data() + threads_offset_ +
           worker * thread_scratch_bytes_;
  };
  const bool is_whole =
      (plan.tiling.loops.empty() ||
       (begin == 0 && end == plan.tiling.loops[0].extent)) &&
      std::all_of(leaves.begin(), leaves.end(), [](const SegmentedBytes* leaf) {
        return leaf->IsOnePiece();
      });
  if (is_whole && plan.relayout) {
    const std::byte* source = leaves[0]->At(plan.leaves[0].access.base_bytes);
    std::byte* result = stores[0].At(plan.stores[0].access.base_bytes);
    return std::visit(
        [&](const auto& relayout) {
          return RunTiles(plan.cost_ns, relayout.num_tiles(), cancel,
                          [&](int64_t number, int worker) {
                            RunRelayoutTile(relayout, kernels_, number, source,
                                            result, thread_scratch(worker));
                          });
        },
        *plan.relayout);
  }
  const BoundPass bound{&plan, &pass.kernels, leaves, stores};
  if (is_whole && pass.is_single_block) {
    if (cancel.IsCancelled()) return false;
    const ScopedFpEnvironment environment;
    RunSingleBlock(bound, thread_scratch(0));
    return true;
  }
  const TileGrid grid(plan.tiling, begin, end);
  if (grid.num_tiles() == 1) {
    return RunTiles(plan.cost_ns, 1, cancel, [&](int64_t, int worker) {
      RunTile(bound, grid.box(), thread_scratch(worker));
    });
  }
  return RunTiles(plan.cost_ns, grid.num_tiles(), cancel,
                  [&](int64_t number, int worker) {
                    RunTile(bound, grid.TileAt(number), thread_scratch(worker));
                  });
}

bool PlanImpl::RunTiles(double cost_ns, int64_t num_tiles, CancelToken cancel,
                        absl::FunctionRef<void(int64_t, int)> run) const {
  std::atomic<bool> stopped{false};
  const auto run_tile = [&](int64_t number, int worker) {
    if (stopped.load(std::memory_order_relaxed)) return;
    if (cancel.IsCancelled()) {
      stopped.store(true, std::memory_order_relaxed);
      return;
    }
    const ScopedFpEnvironment environment;
    run(number, worker);
  };
  if (cost_ns < kMinSharedNs) {
    for (int64_t i = 0; i < num_tiles; ++i) run_tile(i, 0);
  } else {
    executor_.ParallelFor(num_tiles, run_tile);
  }
  return !stopped.load(std::memory_order_relaxed);
}

absl::Status PlanImpl::Run(const Bindings& bindings, OuterRange range,
                           CancelToken cancel) const {
  assert(bindings.operands.size() == program_.operands().size());
  assert(bindings.results.size() == results().size());
  assert(static_cast<int64_t>(bindings.scratch.size()) >= scratch_bytes_);
  const int64_t end = std::min(range.end, num_outer_steps_);
  const bool is_stepped = num_outer_steps_ > 1;
  for (size_t i = 0; i < passes_.size(); ++i) {
    const PassEntry& pass = passes_[i];
    int64_t pass_begin = 0;
    int64_t pass_end =
        pass.plan.tiling.loops.empty() ? 1 : pass.plan.tiling.loops[0].extent;
    if (is_stepped && i + 1 == passes_.size()) {
      pass_begin = range.begin;
      pass_end = end;
    } else if (range.begin > 0) {
      continue;
    }
    if (pass_begin >= pass_end) continue;
    if (!RunPass(pass, bindings, pass_begin, pass_end, cancel)) {
      return absl::CancelledError("the computation was cancelled");
    }
  }
  return absl::OkStatus();
}

}  // namespace stridecast
