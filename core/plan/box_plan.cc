// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/box_plan.h"

#include <algorithm>

#include "absl/types/span.h"
#include "core/plan/cost.h"

namespace stridecast {
namespace {

// A box, and what is fetched of the next one, stay in L2. Within the caches a
// result that is one box is left to blocks.
constexpr int64_t kBoxBytes = int64_t{1} << 16;
// Of what follows each other in the source, and in the result, before the loop
// along which the other is dense: fewer are planes, which blocks interleave.
constexpr int64_t kMinRows = 16;
constexpr int64_t kMinCols = 9;
// What blocks transpose at once is little, if neither side is longer.
constexpr int64_t kShortBytes = 144;
// What copy kernels bring into order at once.
constexpr int64_t kMaxPixelBytes = 16;
// Of rows that boxes write past the caches as fast as blocks write into them,
// where blocks do well.
constexpr int64_t kLongRowBytes = 768;
// What a tile reads in one place before it goes along the result, so that few
// pages are looked up.
constexpr int64_t kTileRunBytes = 1024;

// More rows of the result a multiple of so many bytes apart drive out each
// other before their lines are whole. L1 holds eight; by measurement 12 are
// faster without a stage, 20 and 24 of small matrices are not.
constexpr int64_t kFirstLevelStride = 4096;
constexpr int64_t kMaxAliasedRows = 16;

using Dim = BoxPlan::Dim;
using Stride = int64_t Dim::*;

int64_t CeilOf(int64_t value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

// One of the two tensors: its dimensions that follow each other without gaps,
// innermost first, of which a prefix is in the box, the last one perhaps in
// part.
class Side {
 public:
  Side(BoxPlan::Dims& dims, Stride stride, int64_t element_bytes) {
    int64_t next = element_bytes;
    for (bool found = true; found;) {
      found = false;
      for (Dim& dim : dims) {
        if (dim.*stride != next) continue;
        run_.push_back(&dim);
        next *= dim.extent;
        found = true;
        break;
      }
    }
  }

  // The first that is not whole in the box; null if all are.
  Dim* Next() const {
    for (Dim* dim : run_) {
      if (dim->box < dim->extent) return dim;
    }
    return nullptr;
  }
  const Dim& first() const { return *run_.front(); }
  absl::Span<Dim* const> run() const { return run_; }
  bool empty() const { return run_.empty(); }

  // Elements that follow each other before `end` moves.
  int64_t ElementsBefore(const Dim& end) const {
    int64_t elements = 1;
    for (const Dim* dim : run_) {
      if (dim == &end) break;
      elements *= dim->extent;
    }
    return elements;
  }

  // Elements of the box that follow each other.
  int64_t Run() const {
    int64_t elements = 1;
    for (const Dim* dim : run_) {
      elements *= dim->box;
      if (dim->box < dim->extent) break;
    }
    return elements;
  }

 private:
  absl::InlinedVector<Dim*, kInlineRank> run_;
};

int64_t Elements(const BoxPlan::Dims& dims, int64_t Dim::*extent) {
  int64_t elements = 1;
  for (const Dim& dim : dims) elements *= dim.*extent;
  return elements;
}

// Within the caches blocks are faster, unless rows of the result drive out each
// other, or blocks transpose little at once though more follows on a side: of
// short rows and columns, or of rows of less than a line.
bool SuitsCaches(const BoxPlan& plan, const Side& source, const Side& result) {
  const int64_t bytes = Elements(plan.dims, &Dim::extent) * plan.element_bytes;
  const int64_t rows = source.first().extent;
  const int64_t cols = result.first().extent;
  const bool is_short =
      std::max(rows, cols) * plan.element_bytes <= kShortBytes;
  const bool more_rows = source.ElementsBefore(result.first()) > rows;
  const bool more_cols = result.ElementsBefore(source.first()) > cols;
  return source.first().result_stride % kAliasedStride == 0 ||
         (bytes > kBoxBytes &&
          ((is_short && (more_rows || more_cols)) ||
           (cols * plan.element_bytes < kLineBytes && more_cols)));
}

// Doubles the shorter of the two runs while there is room.
void ChooseBox(BoxPlan& plan, const Side& source, const Side& result) {
  const int64_t line = kLineBytes / plan.element_bytes;
  const int64_t most = kBoxBytes / plan.element_bytes;
  bool grows[2] = {true, true};
  const Side* const sides[2] = {&source, &result};
  while (grows[0] || grows[1]) {
    size_t s = source.Run() < result.Run() ? 0 : 1;
    if (!grows[s]) s = 1 - s;
    Dim* const dim = sides[s]->Next();
    const int64_t others =
        dim == nullptr ? 1 : Elements(plan.dims, &Dim::box) / dim->box;
    int64_t wanted = 0;
    if (dim != nullptr) {
      const int64_t unit = dim == &sides[s]->first() ? line : 1;
      wanted = dim->box < unit ? unit : 2 * dim->box;
      if (dim->extent <= 2 * wanted) wanted = dim->extent;
      if (wanted * others > most) {
        wanted = most / others / unit * unit;
        grows[s] = false;
      }
    }
    if (dim == nullptr || wanted <= dim->box) {
      grows[s] = false;
    } else {
      dim->box = wanted;
    }
  }
  // Of one size, as far as they begin with lines.
  for (Dim& dim : plan.dims) {
    const int64_t even = CeilOf(dim.extent, CeilOf(dim.extent, dim.box));
    const bool is_first = &dim == &source.first() || &dim == &result.first();
    dim.box = std::min(dim.box, is_first ? CeilOf(even, line) * line : even);
  }
}

void DescribeRuns(BoxPlan& plan) {
  int64_t run = plan.element_bytes;
  for (bool found = true; found && plan.joined < 0;) {
    found = false;
    for (size_t d = 0; d < plan.dims.size(); ++d) {
      const Dim& dim = plan.dims[d];
      if (dim.result_stride != run) continue;
      run *= dim.box;
      if (dim.box < dim.extent) plan.joined = static_cast<int>(d);
      found = true;
      break;
    }
  }
  plan.run_bytes = run;
  plan.num_runs =
      Elements(plan.dims, &Dim::box) * plan.element_bytes / plan.run_bytes;
  // Less than a line cannot wait for its end.
  if (run < kLineBytes || !plan.past_cache) plan.joined = -1;
}

// Past the caches whole runs are written. Within them to put a box together
// first takes longer, unless rows of the result drive out each other.
bool NeedsStage(const BoxPlan& plan, const Side& source) {
  if (plan.past_cache) return true;
  int64_t rows = 1;
  for (const Dim* const dim : source.run()) {
    if (dim->result_stride % kFirstLevelStride != 0) break;
    rows *= dim->box;
    if (dim->box < dim->extent) break;
  }
  return rows > kMaxAliasedRows;
}

// Along the source, then along the result, then along the source again: what a
// tile begins with has to be waited for.
void ChooseTile(BoxPlan& plan, const Side& source) {
  const int64_t all = Elements(plan.dims, &Dim::extent) * plan.element_bytes;
  const int64_t most =
      std::max(RelayoutTileBytes(all), kBoxBytes) / plan.element_bytes;
  for (Dim& dim : plan.dims) dim.tile = dim.box;
  const auto grow = [&](Dim& dim, int64_t most_along) {
    const int64_t others = Elements(plan.dims, &Dim::tile) / dim.tile;
    const int64_t wanted = std::min(most_along, most / others);
    if (wanted >= dim.extent) {
      dim.tile = dim.extent;
    } else if (wanted > dim.tile) {
      dim.tile = wanted / dim.box * dim.box;
    }
  };
  // Elements that follow each other.
  const auto grow_along_source = [&](int64_t most_along) {
    for (Dim* const dim : source.run()) {
      grow(*dim, most_along);
      if (dim->tile < dim->extent) break;
      most_along /= dim->extent;
    }
  };
  grow_along_source(kTileRunBytes / plan.element_bytes);
  absl::InlinedVector<Dim*, kInlineRank> by_result;
  for (Dim& dim : plan.dims) by_result.push_back(&dim);
  std::sort(by_result.begin(), by_result.end(), [](const Dim* a, const Dim* b) {
    return a->result_stride < b->result_stride;
  });
  for (Dim* dim : by_result) {
    if (dim->source_stride != plan.element_bytes) grow(*dim, dim->extent);
  }
  grow_along_source(most);
}

}  // namespace

int64_t BoxPlan::num_tiles() const {
  int64_t tiles = 1;
  for (const Dim& dim : dims) tiles *= CeilOf(dim.extent, dim.tile);
  return tiles;
}

int64_t BoxPlan::num_boxes_between() const {
  int64_t boxes = 1;
  for (size_t d = static_cast<size_t>(joined + 1); d < dims.size(); ++d) {
    boxes *= CeilOf(dims[d].tile, dims[d].box);
  }
  return joined < 0 ? 0 : boxes;
}

std::optional<BoxPlan> MakeBoxPlan(const std::vector<Loop>& loops,
                                   int64_t element_bytes, CacheFit fit) {
  // Pixels of a few channels are planned as elements.
  for (const Loop& loop : loops) {
    const int64_t pixel_bytes = loop.extent * element_bytes;
    if (loop.byte_strides[0] != element_bytes ||
        loop.byte_strides[1] != element_bytes || pixel_bytes > kMaxPixelBytes) {
      continue;
    }
    std::vector<Loop> others;
    for (const Loop& other : loops) {
      if (&other != &loop) others.push_back(other);
    }
    std::optional<BoxPlan> plan = MakeBoxPlan(others, pixel_bytes, fit);
    if (plan) {
      plan->element_bytes = element_bytes;
      plan->dims.push_back({loop.extent, element_bytes, element_bytes,
                            loop.extent, loop.extent});
    }
    return plan;
  }
  BoxPlan plan;
  plan.element_bytes = element_bytes;
  plan.past_cache = fit != CacheFit::kFits;
  for (const Loop& loop : loops) {
    plan.dims.push_back(
        {loop.extent, loop.byte_strides[0], loop.byte_strides[1]});
  }
  std::sort(plan.dims.begin(), plan.dims.end(), [](const Dim& a, const Dim& b) {
    return a.source_stride > b.source_stride;
  });
  const Side source(plan.dims, &Dim::source_stride, element_bytes);
  const Side result(plan.dims, &Dim::result_stride, element_bytes);
  if (source.empty() || result.empty() || &source.first() == &result.first() ||
      source.ElementsBefore(result.first()) < kMinRows ||
      result.ElementsBefore(source.first()) < kMinCols) {
    return std::nullopt;
  }
  if (fit != CacheFit::kNot && !SuitsCaches(plan, source, result)) {
    const bool has_long_rows =
        result.ElementsBefore(source.first()) * element_bytes >= kLongRowBytes;
    if (fit == CacheFit::kFits || !has_long_rows) return std::nullopt;
  }
  ChooseBox(plan, source, result);
  DescribeRuns(plan);
  plan.staged = NeedsStage(plan, source);
  ChooseTile(plan, source);
  return plan;
}

}  // namespace stridecast
