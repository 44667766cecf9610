// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Several operations on f32 or f64, one after the other on the vectors of a
// group: what stands between them stays in registers. One kernel serves all
// conversions at both ends.

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "core/kernels/fetch_ahead.h"
#include "core/kernels/value_range.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/chain.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/affine_steps-inl.h"
#include "core/kernels/chain_steps-inl.h"
#include "core/kernels/integer_lanes-inl.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/past_cache-inl.h"
#include "core/kernels/quotient-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// Calls f with the codec of a type whose lanes are f32.
template <Nans kNans, class F>
HWY_INLINE void WithF32Codec(DType type, F f) {
  switch (type) {
    case DType::kU8:
      return f(IntegersAsF32<uint8_t>());
    case DType::kS8:
      return f(IntegersAsF32<int8_t>());
    case DType::kU16:
      return f(IntegersAsF32<uint16_t>());
    case DType::kS16:
      return f(IntegersAsF32<int16_t>());
    case DType::kF16:
      return f(F16Lanes<kNans>());
    case DType::kBF16:
      return f(BF16Lanes<kNans>());
    default:
      return f(FloatLanes<float, kNans>());
  }
}

template <DType kType>
class Chain {
 public:
  static void Run(int64_t rows, int64_t cols, const ChainArgs& args,
                  const BlockOperand* operands, BlockResult result) {
    Chain(args).RunRows(rows, cols, operands, result);
  }

 private:
  using Lanes = Values<kType>;
  using D = hn::ScalableTag<typename Lanes::Lane>;
  using V = hn::Vec<D>;
  static constexpr int64_t kBytes = Lanes::kElementBytes;
  static constexpr int64_t kUnit = hn::MaxLanes(D());
  using Steps = ChainSteps<kType>;
  using Step = typename Steps::Step;
  using Traits = typename Steps::Traits;
  using Division = typename Steps::Division;
  using Factor = typename Steps::Factor;
  static constexpr int64_t kGroup = Steps::kGroup;
  static constexpr int64_t kHalf = Steps::kHalf;

  // Where a row of an operand is read: along it, or one unit again and again,
  // in which one element repeats or which is all of the row.
  struct Source {
    const std::byte* row;
    bool moves;
    bool repeats;
  };

  explicit Chain(const ChainArgs& args)
      : args_(args),
        num_operands_(args.num_operands),
        first_bytes_(ElementBytes(args.first)),
        last_bytes_(ElementBytes(args.last)),
        affine_(args.first, args.last) {}

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
        AdvanceRow(operands);
      } else {
        StartRow(row, cols, operands);
      }
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

  int64_t BytesOf(int operand) const {
    return operand == 0 ? first_bytes_ : kBytes;
  }

  void StartRow(int64_t row, int64_t cols, const BlockOperand* operands) {
    for (int k = 0; k < num_operands_; ++k) {
      const BlockOperand& operand = operands[k];
      const std::byte* data = operand.data + row * operand.row_stride;
      const int64_t bytes = BytesOf(k);
      if (operand.col_stride == 0) {
        RepeatElement(bytes, units_[k], data);
        sources_[k] = {units_[k], false, true};
      } else if (cols < kUnit) {
        std::memset(units_[k], 0, sizeof(units_[k]));
        CopyUnitPart(units_[k], data, static_cast<size_t>(cols * bytes));
        sources_[k] = {units_[k], false, false};
      } else {
        sources_[k] = {data, true, false};
      }
    }
    position_ = 0;
    ValueRange range = FirstRange();
    std::optional<Traits> before;  // of the last step, if it is alone yet
    for (int s = 0; s < args_.num_links; ++s) {
      const ChainLink& link = args_.links[s];
      const Traits traits = StartStep(link, range, steps_[s]);
      const auto* const both =
          before.has_value() ? Steps::KindOf(*before, traits) : nullptr;
      if (both != nullptr) {
        steps_[s - 1].kind = both;
        before.reset();
      } else {
        steps_[s].kind = Steps::KindOf(traits);
        before = traits;
      }
      range = RangeAfter(link, range);
    }
    are_numbers_ = range.is_known();
    first_step_ = steps_;
    if constexpr (kType == DType::kF32) {
      if (MayBeAffine(cols)) TryAffine();
    }
  }

  // If no number and no partial unit is other than in the row before.
  void AdvanceRow(const BlockOperand* operands) {
    for (int k = 0; k < num_operands_; ++k) {
      if (sources_[k].moves) sources_[k].row += operands[k].row_stride;
    }
    for (int s = 0; s < args_.num_links; ++s) {
      if (args_.links[s].operand >= 0) PlaceStep(args_.links[s], steps_[s]);
    }
    position_ = 0;
  }

  // All but its kind. Its first operand is in that range.
  Traits StartStep(const ChainLink& link, const ValueRange& range, Step& step) {
    Traits traits = {link.operation, false};
    if (link.operand < 0) return traits;
    const auto [operand, factor] = PlaceStep(link, step);
    if (factor >= 0) {
      traits.factor = factor == operand        ? Factor::kItself
                      : sources_[factor].moves ? Factor::kMoves
                                               : Factor::kRepeats;
    }
    traits.moves = sources_[operand].moves;
    if (link.operation == ChainOperation::kDivide &&
        StartDivisor(link.operand, step)) {
      traits.division =
          range.IsWithin(Usual<float>::kLeast, Usual<float>::kGreatest)
              ? Division::kOfUsualByUsual
              : Division::kByUsual;
    }
    return traits;
  }

  struct StepOperands {
    int operand;
    int factor;  // the one of them that moves if only one does; -1 for none
  };
  StepOperands PlaceStep(const ChainLink& link, Step& step) const {
    StepOperands operands = {link.operand, link.factor};
    if (link.factor >= 0) {
      if (sources_[link.factor].moves) {
        std::swap(operands.operand, operands.factor);
      }
      step.other = sources_[operands.factor].row;
    }
    step.source = sources_[operands.operand].row;
    return operands;
  }

  ValueRange FirstRange() const {
    return IsInteger(args_.first) ? ValueRange::OfIntegers(0x1p16)
                                  : ValueRange::Unknown();
  }

  ValueRange RangeAfter(const ChainLink& link, const ValueRange& range) const {
    if (!range.is_known() || link.operand < 0 || link.factor >= 0 ||
        !sources_[link.operand].repeats) {
      return ValueRange::Unknown();
    }
    return range.After(link.operation,
                       static_cast<float>(hn::GetLane(LoadUnit(link.operand))));
  }

  // False if quotients by that operand are divisions.
  bool StartDivisor(int operand, Step& step) {
    if (!sources_[operand].repeats) return false;
    const D d;
    const V divisor = LoadUnit(operand);
    if (!IsUsualDivisor(hn::GetLane(divisor))) return false;
    step.other = inverses_[operand];
    RawLanes<typename Lanes::Lane>::Store(d, hn::Div(hn::Set(d, 1), divisor),
                                          inverses_[operand]);
    return true;
  }

  static void RepeatElement(int64_t bytes, std::byte* unit,
                            const std::byte* element) {
    switch (bytes) {
      case 1:
        return RepeatUnit<1, kUnit>(unit, element);
      case 2:
        return RepeatUnit<2, kUnit>(unit, element);
      default:
        return RepeatUnit<kBytes, kUnit>(unit, element);
    }
  }

  // Where it saves more than to try all bytes takes, 100 to 250 ns.
  bool MayBeAffine(int64_t cols) const {
    constexpr int64_t kLeastSavedSteps = 12'288;  // of some .02 ns
    if (first_bytes_ > 1 || last_bytes_ > 2 || !are_numbers_) return false;
    int64_t saved = -1;
    for (int s = 0; s < args_.num_links; ++s) {
      const bool is_quotient =
          args_.links[s].operation == ChainOperation::kDivide;
      saved += is_quotient ? 4 : 1;
    }
    return saved * cols >= kLeastSavedSteps;
  }

  void TryAffine() {
    std::optional<AffineForm> form = AffineForm();
    for (int s = 0; s < args_.num_links && form.has_value(); ++s) {
      const ChainLink& link = args_.links[s];
      form = form->After(link.operation, hn::GetLane(LoadUnit(link.operand)));
    }
    if (!form.has_value()) return;
    StartEnd(/*streams=*/false);
    const Step* const found =
        affine_.Find(*form, steps_, steps_[args_.num_links].kind);
    if (found != nullptr) first_step_ = found;
  }

  void RunShort(int64_t cols, std::byte* result) {
    StartEnd(/*streams=*/false);
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
    StartEnd(streams);
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
    WithCodec<Nans::kPossible>(args_.first, [&](auto codec) {
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
    if (sources_[0].moves) {
      RunGroupsOf<Codec, kCount, true>(count, result);
    } else {
      RunGroupsOf<Codec, kCount, false>(count, result);
    }
  }

  template <class Codec, int64_t kCount, bool kMoves>
  HWY_NOINLINE void RunGroupsOf(int64_t count, std::byte* result) const {
    constexpr auto kFirstBytes = static_cast<int64_t>(Codec::kElementBytes);
    const Step* const step = first_step_;
    const int64_t result_bytes = kCount * kUnit * last_bytes_;
    const std::byte* from = sources_[0].row;
    if constexpr (kMoves) from += position_ * kFirstBytes;
    const int64_t ahead = ahead_bytes_;
    const int* const others = fetched_ + (kMoves ? 1 : 0);
    const int* const others_end = fetched_ + num_fetched_;
    int64_t position = position_ * kBytes;
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (kMoves) FetchGroup<kCount, kFirstBytes>(from + ahead);
      for (const int* other = others; other < others_end; ++other) {
        FetchGroup<kCount, kBytes>(sources_[*other].row + position + ahead);
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
    WithCodec<Nans::kPossible>(args_.first, [&](auto codec) HWY_ATTR {
      using Codec = decltype(codec);
      constexpr std::make_index_sequence<kCount> kIndices;
      const std::byte* const row = sources_[0].row;
      if (sources_[0].moves) {
        RunLoaded<Codec, true>(first_step_, position_ * kBytes,
                               row + position_ * first_bytes_, result,
                               kIndices);
      } else {
        RunLoaded<Codec, false>(first_step_, position_ * kBytes, row, result,
                                kIndices);
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

  void StartEnd(bool streams) {
    auto& kind = steps_[args_.num_links].kind;
    const auto start = [&](auto codec) {
      kind = Steps::template KindOfEnd<decltype(codec)>(streams);
    };
    if (are_numbers_) {
      WithCodec<Nans::kNone>(args_.last, start);
    } else {
      WithCodec<Nans::kPossible>(args_.last, start);
    }
    if constexpr (kType == DType::kF32) affine_.SetEnd(kind, streams);
  }

  template <int64_t kCount, int64_t kElementBytes>
  static HWY_INLINE void FetchGroup(const std::byte* from) {
    for (int64_t at = 0; at < kCount * kUnit * kElementBytes; at += kLine) {
      FetchLine(from + at);
    }
  }

  template <Nans kNans, class F>
  static HWY_INLINE void WithCodec(DType type, F f) {
    if constexpr (kType == DType::kF32) {
      WithF32Codec<kNans>(type, f);
    } else {
      f(FloatLanes<double, kNans>());
    }
  }

  HWY_INLINE V LoadUnit(int operand) const {
    return Lanes::Load(D(), sources_[operand].row);
  }

  const ChainArgs& args_;
  const int num_operands_;
  const int64_t first_bytes_;
  const int64_t last_bytes_;
  int64_t position_ = 0;     // in the row, of the next element
  bool past_cache_ = false;  // the result's whole lines
  // Operands that are fetched: all that move, by half a group, or the first.
  int fetched_[kMaxChainOperands];
  int num_fetched_ = 0;
  bool fetches_all_ = false;
  int64_t ahead_bytes_ = 0;  // how far
  Source sources_[kMaxChainOperands];
  HWY_ALIGN std::byte units_[kMaxChainOperands][kUnit * kBytes];
  Step steps_[kMaxChainLinks + 1];   // and the end
  const Step* first_step_ = steps_;  // of the row
  bool are_numbers_ = false;         // its results
  AffineSteps affine_;
  // Of operands that are usual divisors.
  HWY_ALIGN std::byte inverses_[kMaxChainOperands][kUnit * kBytes];
};

constexpr ChainPart MakePart() {
  return {&Chain<DType::kF32>::Run, &Chain<DType::kF64>::Run};
}

}  // namespace

#define STRIDECAST_PART ChainPart
#define STRIDECAST_PART_OF ChainPartOf
#include "core/kernels/table-inl.h"
