// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Several operations on f32 or f64, one after the other on the vectors of a
// group: what stands between them stays in registers. One kernel serves all
// conversions at both ends.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/kernels/block.h"
#include "core/kernels/fetch_ahead.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/chain.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/chain_row-inl.h"
#include "core/kernels/chain_steps-inl.h"
#include "core/kernels/lanes-inl.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

template <DType kType>
class Chain {
 public:
  static void Run(int64_t rows, int64_t cols, const ChainArgs& args,
                  const BlockOperand* operands, BlockResult result) {
    Chain(args).RunRows(rows, cols, operands, result);
  }

 private:
  using D = hn::ScalableTag<typename Values<kType>::Lane>;
  using Row = ChainRow<kType>;
  static constexpr int64_t kBytes = Row::kElementBytes;
  static constexpr int64_t kUnit = Row::kUnit;
  using Steps = ChainSteps<kType>;
  using Step = typename Steps::Step;
  static constexpr int64_t kGroup = Steps::kGroup;
  static constexpr int64_t kHalf = Steps::kHalf;

  explicit Chain(const ChainArgs& args)
      : first_(args.first),
        num_operands_(args.num_operands),
        last_bytes_(ElementBytes(args.last)),
        row_(args) {}

  void RunRows(int64_t rows, int64_t cols, const BlockOperand* operands,
               BlockResult result) {
    bool joins = result.row_stride() == cols * last_bytes_;
    for (int k = 0; k < num_operands_; ++k) {
      joins = joins && operands[k].row_stride == cols * operands[k].col_stride;
    }
    if (joins) {
      cols *= rows;
      rows = 1;
    }
    past_cache_ = result.past_cache();
    ChooseFetched(operands);
    const bool are_alike =
        cols >= kUnit && std::all_of(operands, operands + num_operands_,
                                     [](const BlockOperand& o) {
                                       return o.col_stride != 0 ||
                                              o.row_stride == 0;
                                     });
    for (int64_t row = 0; row < rows; ++row) {
      if (row > 0 && are_alike) {
        row_.Advance(operands);
      } else {
        row_.Start(row, cols, operands);
      }
      position_ = 0;
      if (cols < kUnit) {
        RunShort(cols, result.data);
      } else {
        RunRow(cols, result.data);
      }
      result.data += result.row_stride();
    }
  }

  void ChooseFetched(const BlockOperand* operands) {
    for (int k = 0; k < num_operands_; ++k) {
      if (operands[k].col_stride == 0) continue;
      const bool is_fetched =
          std::any_of(fetched_, fetched_ + num_fetched_, [&](int other) {
            return operands[other].data == operands[k].data &&
                   operands[other].row_stride == operands[k].row_stride;
          });
      if (!is_fetched) fetched_[num_fetched_++] = k;
    }
    fetches_all_ = past_cache_ && num_fetched_ > 1 &&
                   kHalf * kUnit * last_bytes_ % kLine == 0;
    ahead_bytes_ = fetches_all_       ? kChainAheadBytes / 4 / num_fetched_
                   : num_fetched_ > 1 ? kChainAheadBytes / 2
                                      : kChainAheadBytes;
    if (!fetches_all_) num_fetched_ = std::min(num_fetched_, 1);
  }

  void RunShort(int64_t cols, std::byte* result) {
    row_.SetEnd(/*streams=*/false);
    RunPart(0, cols, result);
  }

  // Elements [begin, begin + count) of a unit.
  void RunPart(int64_t begin, int64_t count, std::byte* result) {
    HWY_ALIGN std::byte unit[kUnit * kBytes];
    RunGroup<1>(unit);
    CopyUnitPart(result, unit + begin * last_bytes_,
                 static_cast<size_t>(count * last_bytes_));
  }

  void RunRow(int64_t cols, std::byte* result) {
    int64_t left = cols;
    const bool streams = past_cache_ && cols >= kGroup * kUnit &&
                         PlaceIn(last_bytes_, result) == 0;
    row_.SetEnd(streams);
    if (streams) {
      const int64_t unit_bytes = kUnit * last_bytes_;
      while (PlaceIn(kLine, result) != 0) {
        const int64_t count = kUnit - PlaceIn(unit_bytes, result) / last_bytes_;
        RunPart(0, count, result);
        position_ += count;
        result += count * last_bytes_;
        left -= count;
      }
    }
    const int64_t num_groups = left / (kGroup * kUnit);
    RunGroups(num_groups, result);
    result += num_groups * kGroup * kUnit * last_bytes_;
    left -= num_groups * kGroup * kUnit;
    if (left >= kHalf * kUnit) {
      RunGroup<kHalf>(result);
      position_ += kHalf * kUnit;
      result += kHalf * kUnit * last_bytes_;
      left -= kHalf * kUnit;
    }
    for (; left >= kUnit; left -= kUnit) {
      RunGroup<1>(result);
      position_ += kUnit;
      result += kUnit * last_bytes_;
    }
    if (left == 0) return;
    // The last unit overlaps the one before it, unless that may be past the
    // caches.
    position_ += left - kUnit;
    if (streams) {
      RunPart(kUnit - left, left, result);
    } else {
      RunGroup<1>(result + (left - kUnit) * last_bytes_);
    }
  }

  void RunGroups(int64_t count, std::byte* result) {
    if (count == 0) return;
    WithChainCodec<kType, Nans::kPossible>(first_, [&](auto codec) {
      using Codec = decltype(codec);
      if (fetches_all_) {
        RunGroupsOf<Codec, kHalf>(count * (kGroup / kHalf), result);
      } else {
        RunGroupsOf<Codec, kGroup>(count, result);
      }
    });
    position_ += count * kGroup * kUnit;
  }

  template <class Codec, int64_t kCount>
  void RunGroupsOf(int64_t count, std::byte* result) const {
    if (row_.source(0).moves) {
      RunGroupsOf<Codec, kCount, true>(count, result);
    } else {
      RunGroupsOf<Codec, kCount, false>(count, result);
    }
  }

  template <class Codec, int64_t kCount, bool kMoves>
  HWY_NOINLINE void RunGroupsOf(int64_t count, std::byte* result) const {
    constexpr auto kFirstBytes = static_cast<int64_t>(Codec::kElementBytes);
    const Step* const step = row_.first_step();
    const int64_t result_bytes = kCount * kUnit * last_bytes_;
    const std::byte* from = row_.source(0).row;
    if constexpr (kMoves) from += position_ * kFirstBytes;
    const int64_t ahead = ahead_bytes_;
    const int* const others = fetched_ + (kMoves ? 1 : 0);
    const int* const others_end = fetched_ + num_fetched_;
    int64_t position = position_ * kBytes;
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (kMoves) FetchGroup<kCount, kFirstBytes>(from + ahead);
      for (const int* other = others; other < others_end; ++other) {
        FetchGroup<kCount, kBytes>(row_.source(*other).row + position + ahead);
      }
      RunLoaded<Codec, kMoves>(step, position, from, result,
                               std::make_index_sequence<kCount>());
      if constexpr (kMoves) from += kCount * kUnit * kFirstBytes;
      position += kCount * kUnit * kBytes;
      result += result_bytes;
    }
  }

  template <int64_t kCount>
  void RunGroup(std::byte* result) const {
    WithChainCodec<kType, Nans::kPossible>(first_, [&](auto codec) HWY_ATTR {
      using Codec = decltype(codec);
      constexpr std::make_index_sequence<kCount> kIndices;
      const std::byte* const row = row_.source(0).row;
      if (row_.source(0).moves) {
        RunLoaded<Codec, true>(
            row_.first_step(), position_ * kBytes,
            row + position_ * static_cast<int64_t>(Codec::kElementBytes),
            result, kIndices);
      } else {
        RunLoaded<Codec, false>(row_.first_step(), position_ * kBytes, row,
                                result, kIndices);
      }
    });
  }

  template <class Codec, bool kMoves, size_t... kIndices>
  static HWY_INLINE void RunLoaded(const Step* step, int64_t position,
                                   const std::byte* from, std::byte* result,
                                   std::index_sequence<kIndices...>) {
    constexpr size_t kStep =
        kMoves ? static_cast<size_t>(kUnit) * Codec::kElementBytes : 0;
    Steps::template Run<kIndices...>(
        step, position, result, Codec().Load(D(), from + kIndices * kStep)...);
  }

  template <int64_t kCount, int64_t kElementBytes>
  static HWY_INLINE void FetchGroup(const std::byte* from) {
    for (int64_t at = 0; at < kCount * kUnit * kElementBytes; at += kLine) {
      FetchLine(from + at);
    }
  }

  const DType first_;
  const int num_operands_;
  const int64_t last_bytes_;
  int64_t position_ = 0;     // in the row, of the next element
  bool past_cache_ = false;  // the result's whole lines
  // Operands that are fetched: all that move, or the first of them.
  int fetched_[kMaxChainOperands];
  int num_fetched_ = 0;
  bool fetches_all_ = false;  // and goes by half groups
  int64_t ahead_bytes_ = 0;   // how far
  Row row_;
};

constexpr ChainPart MakePart() {
  return {&Chain<DType::kF32>::Run, &Chain<DType::kF64>::Run};
}

}  // namespace

#define STRIDECAST_PART ChainPart
#define STRIDECAST_PART_OF ChainPartOf
#include "core/kernels/table-inl.h"
