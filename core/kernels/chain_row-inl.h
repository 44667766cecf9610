// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The steps of a chain on one row of its operands: where each reads, and which
// kind it is, given what is known of the values that come to it.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "core/kernels/kernel.h"
#include "core/kernels/value_range.h"

#if defined(STRIDECAST_CORE_KERNELS_CHAIN_ROW_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_CHAIN_ROW_INL_H_
#undef STRIDECAST_CORE_KERNELS_CHAIN_ROW_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_CHAIN_ROW_INL_H_
#endif

#include "core/kernels/affine_step-inl.h"
#include "core/kernels/chain_codec-inl.h"
#include "core/kernels/chain_steps-inl.h"
#include "core/kernels/lanes-inl.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/quotient-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The steps of a chain of kType, f32 or f64, on the row that it was told last.
template <DType kType>
class ChainRow {
  using Lanes = Values<kType>;
  using D = hn::ScalableTag<typename Lanes::Lane>;
  using V = hn::Vec<D>;
  using Steps = ChainSteps<kType>;

 public:
  static constexpr int64_t kElementBytes = Lanes::kElementBytes;
  static constexpr int64_t kUnit = hn::MaxLanes(D());
  using Step = typename Steps::Step;

  // Where a row of an operand is read: along it, or one unit again and again,
  // in which one element repeats or which is all of the row.
  struct Source {
    const std::byte* row;
    bool moves;
    bool repeats;
  };

  explicit ChainRow(const ChainArgs& args)
      : args_(args),
        first_bytes_(ElementBytes(args.first)),
        last_bytes_(ElementBytes(args.last)),
        affine_(args.first, args.last) {}

  void Start(int64_t row, int64_t cols, const BlockOperand* operands) {
    for (int k = 0; k < args_.num_operands; ++k) {
      const BlockOperand& operand = operands[k];
      const std::byte* data = operand.data + row * operand.row_stride;
      const int64_t bytes = k == 0 ? first_bytes_ : kElementBytes;
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

  // To the row after, where no number and no partial unit is another.
  void Advance(const BlockOperand* operands) {
    for (int k = 0; k < args_.num_operands; ++k) {
      if (sources_[k].moves) sources_[k].row += operands[k].row_stride;
    }
    for (int s = 0; s < args_.num_links; ++s) {
      if (args_.links[s].operand >= 0) PlaceStep(args_.links[s], steps_[s]);
    }
  }

  // Before the steps run: whether they store past the caches.
  void SetEnd(bool streams) {
    auto& kind = steps_[args_.num_links].kind;
    const auto start = [&](auto codec) {
      kind = Steps::template KindOfEnd<decltype(codec)>(streams);
    };
    if (are_numbers_) {
      WithChainCodec<kType, Nans::kNone>(args_.last, start);
    } else {
      WithChainCodec<kType, Nans::kPossible>(args_.last, start);
    }
    if constexpr (kType == DType::kF32) {
      if (first_step_ != steps_) affine_.SetEnd(streams);
    }
  }

  const Source& source(int operand) const { return sources_[operand]; }
  const Step* first_step() const { return first_step_; }

 private:
  using Traits = typename Steps::Traits;
  using Division = typename Steps::Division;
  using Factor = typename Steps::Factor;

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
        return RepeatUnit<kElementBytes, kUnit>(unit, element);
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
    SetEnd(/*streams=*/false);
    const Step* const found = affine_.Find(*form, steps_);
    if (found != nullptr) first_step_ = found;
  }

  HWY_INLINE V LoadUnit(int operand) const {
    return Lanes::Load(D(), sources_[operand].row);
  }

  const ChainArgs& args_;
  const int64_t first_bytes_;
  const int64_t last_bytes_;
  Source sources_[kMaxChainOperands];
  HWY_ALIGN std::byte units_[kMaxChainOperands][kUnit * kElementBytes];
  Step steps_[kMaxChainLinks + 1];   // and the end
  const Step* first_step_ = steps_;  // of the row
  bool are_numbers_ = false;         // its results
  AffineStep affine_;
  // Of operands that are usual divisors.
  HWY_ALIGN std::byte inverses_[kMaxChainOperands][kUnit * kElementBytes];
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_CHAIN_ROW_INL_H_
