// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/strip_plan.h"

#include <algorithm>

#include "core/plan/cache_limits.h"
#include "core/plan/cost.h"

namespace stridecast {
namespace {

// Shorter sides are left to blocks, which interleave or stay in L1.
constexpr int64_t kMinRows = 9;
constexpr int64_t kMinRowBytes = 32;
// Of a row of the result.
constexpr int64_t kMinStripBytes = 512;
// Of results that stay in a cache.
constexpr int64_t kMinRowsInCache = 32;
constexpr int64_t kMaxBytesInCache = int64_t{4} << 20;
// The unfinished lines of a tile's rows stay in L2, a line for each.
constexpr int64_t kMaxTileRows = 1024;

// The most that lies between rows of the result that share sets of the caches,
// where strips still write them as fast as boxes do.
constexpr int64_t kNearAliasBytes = 8192;

constexpr int kSource = 0;
constexpr int kResult = 1;

// Takes from `loops` those that follow each other without gaps in `tensor`, if
// they are not the other tensor's: innermost first.
class GroupTaker {
 public:
  GroupTaker(std::vector<Loop>& loops, int tensor, int64_t element_bytes)
      : loops_(loops), tensor_(tensor), next_stride_(element_bytes) {}

  // The loop that continues the group; -1 if there is none.
  int Next() const {
    for (int k = static_cast<int>(loops_.size()) - 1; k >= 0; --k) {
      if (loops_[k].byte_strides[tensor_] == next_stride_) return k;
    }
    return -1;
  }

  void Take(int k) {
    const Loop& loop = loops_[k];
    group_.parts.insert(
        group_.parts.begin(),
        {loop.extent, loop.byte_strides[kSource], loop.byte_strides[kResult]});
    next_stride_ *= loop.extent;
    loops_.erase(loops_.begin() + k);
  }

  const LoopGroup& group() const { return group_; }

 private:
  std::vector<Loop>& loops_;
  const int tensor_;
  int64_t next_stride_;
  LoopGroup group_;
};

int64_t Bytes(const StripPlan& plan) {
  return plan.rows.extent() * plan.cols.extent() * plan.outer.extent() *
         plan.element_bytes;
}

void ChooseTile(StripPlan& plan) {
  const int64_t rows = plan.rows.extent();
  const int64_t cols = plan.cols.extent();
  const int64_t line = kLineBytes / plan.element_bytes;
  plan.tile_rows = std::min(rows, kMaxTileRows);
  const int64_t tile_bytes = RelayoutTileBytes(Bytes(plan));
  // Between tiles side by side a line of each row is written in two parts.
  const int64_t lines = tile_bytes / kLineBytes / plan.tile_rows;
  plan.tile_cols = std::min(cols, std::max(lines, int64_t{4}) * line);
  if (plan.tile_rows == rows && plan.tile_cols == cols) {
    plan.tile_matrices =
        std::clamp(tile_bytes / (rows * cols * plan.element_bytes), int64_t{1},
                   plan.outer.extent());
  }
}

bool HasAliasedRows(const StripPlan& plan) {
  return plan.rows.parts.back().result_stride % kAliasedStride == 0;
}

// Where rows of the result drive out each other or are less than a line, which
// blocks do not like; of large ones boxes are faster.
bool SuitsCache(const StripPlan& plan) {
  return Bytes(plan) <= kMaxBytesInCache &&
         (HasAliasedRows(plan) ||
          plan.cols.parts.back().extent * plan.element_bytes < kLineBytes);
}

// Where lines of the result begin with a strip; boxes are faster elsewhere, and
// where rows are aliases far apart.
bool SuitsPastCache(const StripPlan& plan) {
  if (HasAliasedRows(plan) &&
      plan.rows.parts.back().result_stride > kNearAliasBytes) {
    return false;
  }
  const auto begin_lines = [](const LoopGroup& group) {
    return std::all_of(group.parts.begin(), group.parts.end(),
                       [](const LoopGroup::Part& part) {
                         return part.result_stride % kLineBytes == 0;
                       });
  };
  return begin_lines(plan.rows) && begin_lines(plan.outer);
}

}  // namespace

int64_t LoopGroup::extent() const {
  int64_t extent = 1;
  for (const Part& part : parts) extent *= part.extent;
  return extent;
}

int64_t StripPlan::num_tiles() const {
  const int64_t down = (rows.extent() + tile_rows - 1) / tile_rows;
  const int64_t across = (cols.extent() + tile_cols - 1) / tile_cols;
  const int64_t matrices = (outer.extent() + tile_matrices - 1) / tile_matrices;
  return matrices * down * across;
}

std::optional<StripPlan> MakeStripPlan(const std::vector<Loop>& loops,
                                       int64_t element_bytes, bool past_cache) {
  if (element_bytes != 4 && element_bytes != 8) return std::nullopt;
  std::vector<Loop> left = loops;
  GroupTaker rows(left, kSource, element_bytes);
  GroupTaker cols(left, kResult, element_bytes);
  const int first_row = rows.Next();
  const int first_col = cols.Next();
  if (first_row < 0 || first_col < 0 || first_row == first_col) {
    return std::nullopt;
  }
  rows.Take(first_row);
  cols.Take(cols.Next());
  for (;;) {
    const int next_row = rows.Next();
    const int next_col = cols.Next();
    if (next_row < 0 && next_col < 0) break;
    // The shorter side takes what both could.
    const bool is_row =
        next_col < 0 || rows.group().extent() < cols.group().extent();
    if (is_row && next_row >= 0) {
      rows.Take(next_row);
    } else {
      cols.Take(next_col);
    }
  }
  StripPlan plan;
  plan.element_bytes = element_bytes;
  plan.rows = rows.group();
  plan.cols = cols.group();
  plan.past_cache = past_cache;
  if (plan.rows.extent() < (past_cache ? kMinRows : kMinRowsInCache) ||
      plan.rows.extent() * element_bytes < kMinRowBytes ||
      plan.cols.extent() * element_bytes < kMinStripBytes) {
    return std::nullopt;
  }
  for (const Loop& loop : left) {
    plan.outer.parts.push_back(
        {loop.extent, loop.byte_strides[kSource], loop.byte_strides[kResult]});
  }
  if (past_cache ? !SuitsPastCache(plan) : !SuitsCache(plan)) {
    return std::nullopt;
  }
  ChooseTile(plan);
  return plan;
}

}  // namespace stridecast
