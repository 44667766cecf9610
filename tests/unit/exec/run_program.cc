// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/exec/run_program.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/exec/gaps.h"
#include "core/exec/single_block.h"
#include "core/exec/tile_runner.h"
#include "tests/unit/exec/plain_kernels.h"

namespace stridecast::testing {
namespace {

// The tiles of a pass.
std::vector<Tile> TilesOf(const Tiling& tiling, Random* random) {
  std::vector<Tile> tiles = {{}};
  for (size_t k = 0; k < tiling.loops.size(); ++k) {
    std::vector<int64_t> starts = {0};
    while (starts.back() < tiling.loops[k].extent) {
      int64_t step = tiling.tile_extents[k];
      if (k == 0 && random != nullptr && random->OneIn(2)) {
        step = random->Below(step) + 1;  // where a range of outer steps ends
      }
      starts.push_back(std::min(starts.back() + step, tiling.loops[k].extent));
    }
    std::vector<Tile> longer;
    for (const Tile& tile : tiles) {
      for (size_t i = 0; i + 1 < starts.size(); ++i) {
        longer.push_back(tile);
        longer.back().begin.push_back(starts[i]);
        longer.back().end.push_back(starts[i + 1]);
      }
    }
    tiles = std::move(longer);
  }
  if (random != nullptr) random->Shuffle(tiles);
  return tiles;
}

// Buffers of their own size each, so that a sanitizer sees every step outside.
class Runner {
 public:
  Runner(const Signature& signature, const std::vector<Bytes>& operands,
         const RunOptions& options)
      : program_(
            stridecast::Program::Create(signature, {256, 64, 64, 4096, 1024})
                .value()),
        normal_(stridecast::Normalize(program_)),
        options_(options) {
    for (const Pass& pass : normal_.passes) {
      plans_.push_back(
          MakePassPlan(pass, program_, normal_.temporaries, options.plan));
    }
    for (size_t i = 0; i < operands.size(); ++i) BindOperand(i, operands[i]);
    for (const ValueType& temporary : normal_.temporaries) {
      temporaries_.emplace_back(temporary.shape.num_elements() *
                                ElementBytes(temporary.type));
    }
    for (const TensorDesc& result : program_.results()) {
      results_.emplace_back(result.size_bytes(), std::byte{0xCD});
    }
  }

  std::vector<Bytes> Results() {
    for (const PassPlan& plan : plans_) RunPass(plan);
    return results_;
  }

 private:
  // In one piece, or in segments of a few bytes if no leaf objects.
  void BindOperand(size_t operand, const Bytes& bytes) {
    bool may_segment = options_.random != nullptr;
    for (const PassPlan& plan : plans_) {
      for (const LeafPlan& leaf : plan.leaves) {
        if (leaf.source == Source::kOperand &&
            leaf.index == static_cast<int>(operand)) {
          may_segment = may_segment && leaf.straddle_offset >= 0;
        }
      }
    }
    SegmentedBytes source;
    const auto total = static_cast<int64_t>(bytes.size());
    for (int64_t at = 0; at < total;) {
      const int64_t count =
          may_segment ? std::min(options_.random->Below(23) + 1, total - at)
                      : total;
      pieces_.emplace_back(bytes.begin() + at, bytes.begin() + at + count);
      source.Append(pieces_.back().data(), count);
      at += count;
    }
    sources_.push_back(source);
  }

  void RunPass(const PassPlan& plan) {
    std::vector<SegmentedBytes> held(plan.leaves.size());
    std::vector<const SegmentedBytes*> leaves;
    for (size_t i = 0; i < plan.leaves.size(); ++i) {
      const LeafPlan& leaf = plan.leaves[i];
      if (leaf.source == Source::kTemporary) {
        const Bytes& bytes = temporaries_[leaf.index];
        held[i] =
            SegmentedBytes(bytes.data(), static_cast<int64_t>(bytes.size()));
      } else if (leaf.source == Source::kConstant) {
        const std::string& data =
            std::get<ConstantAttribute>(
                program_.instruction(leaf.index).attribute)
                .data;
        held[i] =
            SegmentedBytes(reinterpret_cast<const std::byte*>(data.data()),
                           static_cast<int64_t>(data.size()));
      }
      leaves.push_back(leaf.source == Source::kOperand ? &sources_[leaf.index]
                                                       : &held[i]);
    }
    std::vector<StoreBuffer> stores;
    for (const StorePlan& store : plan.stores) {
      stores.push_back(
          {(store.is_result ? results_ : temporaries_)[store.index].data(), 0});
    }
    if (plan.empty) {
      for (size_t s = 0; s < stores.size(); ++s) {
        if (plan.stores[s].is_result) FillStore(plan.stores[s], stores[s].data);
      }
      return;
    }
    std::vector<BoundKernel> bound_kernels;
    for (const ComputationPlan& computation : plan.computations) {
      const Instruction& instruction = program_.instruction(computation.value);
      bound_kernels.push_back(
          {kernels_.Find(instruction.opcode,
                         program_.inference(computation.value).subject,
                         instruction.attribute),
           {}});
    }
    const PassKernels kernels(plan, kernels_, bound_kernels);
    const BoundPass bound{&plan, &kernels, leaves, stores};
    if (IsSingleBlock(plan) &&
        std::all_of(
            leaves.begin(), leaves.end(),
            [](const SegmentedBytes* leaf) { return leaf->IsOnePiece(); }) &&
        (options_.random == nullptr || options_.random->OneIn(2))) {
      Bytes scratch(static_cast<size_t>(plan.scratch_bytes), std::byte{0xEE});
      RunSingleBlock(bound, scratch.data());
      if (options_.num_single_blocks != nullptr) ++*options_.num_single_blocks;
      return;
    }
    for (const Tile& tile : TilesOf(plan.tiling, options_.random)) {
      Bytes scratch(static_cast<size_t>(plan.scratch_bytes), std::byte{0xEE});
      RunTile(bound, tile, scratch.data());
    }
  }

  const PlainKernels kernels_;
  const stridecast::Program program_;
  const NormalProgram normal_;
  const RunOptions options_;
  std::vector<PassPlan> plans_;
  std::vector<Bytes> pieces_;
  std::vector<SegmentedBytes> sources_;
  std::vector<Bytes> temporaries_;
  std::vector<Bytes> results_;
};

}  // namespace

std::vector<Bytes> RunProgram(const Signature& signature,
                              const std::vector<Bytes>& operands,
                              const RunOptions& options) {
  return Runner(signature, operands, options).Results();
}

}  // namespace stridecast::testing
