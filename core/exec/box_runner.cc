// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/box_runner.h"

#include <xmmintrin.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/exec/box_shape.h"
#include "core/kernels/fetch_ahead.h"

namespace stridecast {
namespace {

int64_t StageBytes(const BoxPlan& plan) {
  return plan.staged ? plan.num_runs * StagePitch(plan) : 0;
}

int64_t UnfinishedBytes(const BoxPlan& plan) {
  return plan.num_boxes_between() * plan.num_runs * kLine;
}

class BoxRunner {
 public:
  BoxRunner(const BoxPlan& plan, const KernelTable& kernels, int64_t number,
            const std::byte* source, std::byte* result, std::byte* scratch)
      : plan_(plan),
        kernels_(kernels),
        pitch_(StagePitch(plan)),
        stage_(scratch),
        unfinished_(scratch + StageBytes(plan)),
        source_(source),
        result_(result) {
    for (size_t d = plan.dims.size(); d-- > 0;) {
      const BoxPlan::Dim& dim = plan.dims[d];
      const int64_t tiles = (dim.extent + dim.tile - 1) / dim.tile;
      const int64_t begin = number % tiles * dim.tile;
      number /= tiles;
      begin_.insert(begin_.begin(), begin);
      end_.insert(end_.begin(), std::min(begin + dim.tile, dim.extent));
      Move(dim, begin);
    }
    at_ = begin_;
  }

  void Run() {
    const BoxShape* shape = &ShapeHere();
    FetchAhead(shape->FirstReads(source_), {})
        .Fetch(std::numeric_limits<int64_t>::max());
    while (shape != nullptr) {
      const std::byte* const source = source_;
      std::byte* const result = result_;
      RunsArgs runs = plan_.staged ? BeginRuns(*shape) : RunsArgs{};
      const BoxShape* const next = Advance() ? &ShapeHere() : nullptr;
      FetchAhead ahead(
          shape->OtherReads(source),
          next == nullptr ? FetchAhead::Runs() : next->FirstReads(source_));
      if (plan_.staged) {
        shape->BringIntoOrder(source, stage_ + kLine, &ahead);
        runs.ahead = &ahead;
        kernels_.Runs()(runs);
      } else {
        shape->BringIntoOrder(source, result, &ahead);
        ahead.Fetch(std::numeric_limits<int64_t>::max());
      }
      shape = next;
    }
    // Others will read what is written past the caches.
    if (plan_.past_cache) _mm_sfence();
  }

 private:
  void Move(const BoxPlan::Dim& dim, int64_t steps) {
    source_ += steps * dim.source_stride;
    result_ += steps * dim.result_stride;
  }

  // All but what is asked for ahead; what is unfinished is in the stage then.
  RunsArgs BeginRuns(const BoxShape& shape) {
    const bool joins = plan_.joined >= 0;
    const auto joined = static_cast<size_t>(joins ? plan_.joined : 0);
    std::byte* const slots = unfinished_ + SlotHere() * kLine;
    RunsArgs runs = shape.RunsTo(result_);
    runs.stage = stage_;
    runs.pitch = pitch_;
    runs.past_cache = plan_.past_cache;
    runs.continues = joins && at_[joined] > begin_[joined];
    runs.unfinished =
        joins && at_[joined] + plan_.dims[joined].box < end_[joined] ? slots
                                                                     : nullptr;
    // Long before they are read: what is loaded just after it was stored waits
    // for all stores before, and those past the caches take long.
    if (runs.continues) {
      for (int64_t r = 0; r < runs.num_runs; ++r) {
        std::memcpy(stage_ + r * pitch_, slots + r * kLine, kLine);
      }
    }
    return runs;
  }

  // To the next box; false if it was the last.
  bool Advance() {
    for (size_t d = plan_.dims.size(); d-- > 0;) {
      const BoxPlan::Dim& dim = plan_.dims[d];
      if (at_[d] + dim.box < end_[d]) {
        at_[d] += dim.box;
        Move(dim, dim.box);
        return true;
      }
      Move(dim, begin_[d] - at_[d]);
      at_[d] = begin_[d];
    }
    return false;
  }

  const BoxShape& ShapeHere() {
    DimVector extents;
    for (size_t d = 0; d < at_.size(); ++d) {
      extents.push_back(std::min(plan_.dims[d].box, end_[d] - at_[d]));
    }
    for (const auto& shape : shapes_) {
      if (shape->extents() == extents) return *shape;
    }
    shapes_.push_back(
        std::make_unique<BoxShape>(plan_, kernels_, std::move(extents)));
    return *shapes_.back();
  }

  // The first run's place among what is unfinished.
  int64_t SlotHere() const {
    int64_t box = 0;
    for (auto d = static_cast<size_t>(plan_.joined + 1); d < at_.size(); ++d) {
      const BoxPlan::Dim& dim = plan_.dims[d];
      box = box * ((dim.tile + dim.box - 1) / dim.box) +
            (at_[d] - begin_[d]) / dim.box;
    }
    return plan_.joined < 0 ? 0 : box * plan_.num_runs;
  }

  const BoxPlan& plan_;
  const KernelTable& kernels_;
  const int64_t pitch_;
  std::byte* const stage_;
  std::byte* const unfinished_;
  const std::byte* source_;  // of the box
  std::byte* result_;
  DimVector begin_;  // of the tile
  DimVector end_;
  DimVector at_;  // of the box
  // A few: boxes are cut along few dimensions.
  std::vector<std::unique_ptr<BoxShape>> shapes_;
};

}  // namespace

int64_t RelayoutScratchBytes(const BoxPlan& plan) {
  return StageBytes(plan) + UnfinishedBytes(plan);
}

void RunRelayoutTile(const BoxPlan& plan, const KernelTable& kernels,
                     int64_t number, const std::byte* source, std::byte* result,
                     std::byte* scratch) {
  BoxRunner(plan, kernels, number, source, result, scratch).Run();
}

}  // namespace stridecast
