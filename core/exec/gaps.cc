// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/gaps.h"

#include <algorithm>
#include <cstring>

namespace stridecast {
void FillBytes(const StorePlan& store, std::byte* begin, int64_t bytes) {
  if (store.fill_is_zero) {
    std::memset(begin, 0, static_cast<size_t>(bytes));
    return;
  }
  const auto element = static_cast<size_t>(store.access.element_bytes);
  for (int64_t at = 0; at < bytes; at += store.access.element_bytes) {
    std::memcpy(begin + at, store.fill.bytes, element);
  }
}

namespace {

class GapFiller {
 public:
  GapFiller(const StorePlan& store, const std::vector<Loop>& loops,
            const Tile& tile, const StoreBuffer& buffer)
      : store_(store),
        loops_(loops),
        num_loops_(static_cast<int>(loops.size())),
        tile_(tile),
        buffer_(buffer) {}

  void Run() const {
    const int64_t base = store_.access.base_bytes;
    if (std::all_of(tile_.begin.begin(), tile_.begin.end(),
                    [](int64_t begin) { return begin == 0; })) {
      Fill(0, base);
    }
    int position = 0;
    for (const Gap& gap : store_.gaps) {
      for (; position < gap.position; ++position) {
        if (!EndsLoop(store_.loops_by_stride[position])) return;
      }
      if (!store_.streams_row_gaps || gap.position != 1) FillGap(gap);
    }
    for (; position < num_loops_; ++position) {
      if (!EndsLoop(store_.loops_by_stride[position])) return;
    }
    Fill(base + store_.reach_bytes,
         store_.size_bytes - base - store_.reach_bytes);
  }

 private:
  void Fill(int64_t begin, int64_t bytes) const {
    if (bytes > 0) FillBytes(store_, buffer_.At(begin), bytes);
  }

  bool EndsLoop(int k) const { return tile_.end[k] == loops_[k].extent; }

  // Over all indices of the gap's loop but the loop's last, and over all of the
  // loops with greater strides, within the tile.
  void FillGap(const Gap& gap) const {
    const auto& strides = store_.access.byte_strides;
    DimVector end(tile_.end);
    const int inner = store_.loops_by_stride[gap.position];
    end[inner] = std::min(end[inner], loops_[inner].extent - 1);
    if (end[inner] <= tile_.begin[inner]) return;
    DimVector index(tile_.begin);
    int64_t offset = store_.access.base_bytes + gap.offset_bytes;
    for (int p = gap.position; p < num_loops_; ++p) {
      const int k = store_.loops_by_stride[p];
      offset += index[k] * strides[k];
    }
    for (;;) {
      Fill(offset, gap.bytes);
      int p = gap.position;
      for (; p < num_loops_; ++p) {
        const int k = store_.loops_by_stride[p];
        offset += strides[k];
        if (++index[k] < end[k]) break;
        offset -= (end[k] - tile_.begin[k]) * strides[k];
        index[k] = tile_.begin[k];
      }
      if (p == num_loops_) return;
    }
  }

  const StorePlan& store_;
  const std::vector<Loop>& loops_;
  const int num_loops_;
  const Tile& tile_;
  const StoreBuffer& buffer_;
};

}  // namespace

void FillGaps(const StorePlan& store, const std::vector<Loop>& loops,
              const Tile& tile, const StoreBuffer& buffer) {
  GapFiller(store, loops, tile, buffer).Run();
}

void FillStore(const StorePlan& store, std::byte* buffer) {
  if (store.size_bytes > 0) FillBytes(store, buffer, store.size_bytes);
}

}  // namespace stridecast
