// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The steps of a chain as threaded code: a function for each, which takes the
// vectors of a group as arguments, so that they stay in registers, and ends by
// calling that of the next step. Two steps that often follow each other are one
// function: what a step costs beside its arithmetic is to find the next one.

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "core/kernels/kernel.h"

#if defined(STRIDECAST_CORE_KERNELS_CHAIN_STEPS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_CHAIN_STEPS_INL_H_
#undef STRIDECAST_CORE_KERNELS_CHAIN_STEPS_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_CHAIN_STEPS_INL_H_
#endif

#include "core/kernels/lanes-inl.h"
#include "core/kernels/line-inl.h"
#include "core/kernels/minmax-inl.h"
#include "core/kernels/quotient-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Of chains of kType, f32 or f64.
template <DType kType>
class ChainSteps {
  using Lanes = Values<kType>;
  using D = hn::ScalableTag<typename Lanes::Lane>;
  using V = hn::Vec<D>;
  static constexpr size_t kUnitBytes = hn::MaxLanes(D()) * Lanes::kElementBytes;

  template <size_t>
  using VectorAt = V;

 public:
  struct Step;
  // What a step does with the vectors of a group, V for each of kIndices, that
  // begins at byte `position` of the row.
  template <size_t... kIndices>
  using StepOn = void (*)(const Step* step, int64_t position, std::byte* result,
                          VectorAt<kIndices>... values);

  // Vectors that go through the chain together, so that one's latency is spent
  // on the others; what is left of a row goes in smaller groups.
  static constexpr int64_t kGroup = 8;
  static constexpr int64_t kHalf = kGroup / 2;

 private:
  template <size_t... kIndices>
  static StepOn<kIndices...> StepOnAll(std::index_sequence<kIndices...>);
  template <int64_t kCount>
  using StepOnGroup = decltype(StepOnAll(std::make_index_sequence<kCount>()));

 public:
  using Kind =
      std::tuple<StepOnGroup<kGroup>, StepOnGroup<kHalf>, StepOnGroup<1>>;
  struct Step {
    const Kind* kind;
    // Of its operand: the row, or a unit that is taken again and again.
    const std::byte* source;
    // The inverse of a usual divisor, by what the operand is multiplied, or the
    // offset of an affine step.
    const std::byte* other;
  };

  enum class Division { kAny, kByUsual, kOfUsualByUsual };
  // By what the operand is multiplied first; one that moves if only one does.
  enum class Factor { kNone, kItself, kRepeats, kMoves };
  // What is known about a step.
  struct Traits {
    ChainOperation operation;
    bool moves;  // the operand, along the row
    Division division = Division::kAny;
    Factor factor = Factor::kNone;
  };

  template <size_t... kIndices>
  static HWY_INLINE void Run(const Step* step, int64_t position,
                             std::byte* result, VectorAt<kIndices>... values) {
    std::get<StepOn<kIndices...>> (*step->kind)(step, position, result,
                                                values...);
  }

  static const Kind* KindOf(const Traits& traits) {
    switch (traits.operation) {
      case ChainOperation::kAdd:
        return CombiningProduct<Sum>(traits);
      case ChainOperation::kSubtract:
        return CombiningProduct<Difference>(traits);
      case ChainOperation::kSubtractFrom:
        return CombiningProduct<Reversed<Difference>>(traits);
      case ChainOperation::kMultiply:
        return Combining<Product>(traits);
      case ChainOperation::kDivide:
        switch (traits.division) {
          case Division::kAny:
            return Combining<Ratio>(traits);
          case Division::kByUsual:
            return Doing<DivideUsual>();
          case Division::kOfUsualByUsual:
            return Doing<One<UsualQuotient>>();
        }
        break;
      case ChainOperation::kDivideInto:
        return Combining<Reversed<Ratio>>(traits);
      case ChainOperation::kMaximum:
        return Combining<Tagged<Greatest>>(traits);
      case ChainOperation::kMinimum:
        return Combining<Tagged<Least>>(traits);
      case ChainOperation::kSqrt:
        return Doing<One<Root>>();
      case ChainOperation::kSquare:
        break;
    }
    return Doing<One<Square>>();
  }

  // Of two steps at once; null where there is none.
  static const Kind* KindOf(const Traits& first, const Traits& second) {
    using Operation = ChainOperation;
    if (first.factor != Factor::kNone || second.factor != Factor::kNone) {
      return nullptr;
    }
    const auto are = [&](Operation one, Operation other) {
      return first.operation == one && second.operation == other;
    };
    if (are(Operation::kMultiply, Operation::kAdd)) {
      return Combining<Product, Sum>(first, second);
    }
    if (are(Operation::kMultiply, Operation::kSubtract)) {
      return Combining<Product, Difference>(first, second);
    }
    if (are(Operation::kAdd, Operation::kMultiply)) {
      return Combining<Sum, Product>(first, second);
    }
    if (are(Operation::kSubtract, Operation::kMultiply)) {
      return Combining<Difference, Product>(first, second);
    }
    if (are(Operation::kDivide, Operation::kSubtract) &&
        first.division == Division::kOfUsualByUsual && !second.moves) {
      return Doing<Two<UsualQuotient, Link<Difference, false>>>();
    }
    return nullptr;
  }

  // Behind the last step: stores what there is. Of more than one unit whole
  // lines past the caches, where it `streams`.
  template <class Codec>
  static const Kind* KindOfEnd(bool streams) {
    return Ending<Same, Codec>(streams);
  }

  // Instead of all steps and the end: stores value * source + other, rounded
  // once.
  template <class Codec>
  static const Kind* KindOfAffine(bool streams) {
    return Ending<Affine, Codec>(streams);
  }

 private:
  struct Sum {
    HWY_INLINE V operator()(V a, V b) const { return hn::Add(a, b); }
  };
  struct Difference {
    HWY_INLINE V operator()(V a, V b) const { return hn::Sub(a, b); }
  };
  struct Product {
    HWY_INLINE V operator()(V a, V b) const { return hn::Mul(a, b); }
  };
  struct Ratio {
    HWY_INLINE V operator()(V a, V b) const { return hn::Div(a, b); }
  };
  template <class Function>
  struct Reversed {
    HWY_INLINE V operator()(V a, V b) const { return Function()(b, a); }
  };
  template <class Function>
  struct Tagged {
    HWY_INLINE V operator()(V a, V b) const { return Function()(D(), a, b); }
  };

  // Takes values and an operand of the row: the vectors beside them, or a unit.
  template <class Function, bool kMoves>
  class Link {
   public:
    HWY_INLINE Link(const Step& step, int64_t position) : source_(step.source) {
      if constexpr (kMoves) {
        source_ += position;
      } else {
        unit_ = Lanes::Load(D(), source_);
      }
    }
    HWY_INLINE V operator()(V value, size_t index) const {
      if constexpr (kMoves) {
        return Function()(value,
                          Lanes::Load(D(), source_ + index * kUnitBytes));
      } else {
        return Function()(value, unit_);
      }
    }

   private:
    const std::byte* source_;
    V unit_;
  };

  // Takes values and a product of operands.
  template <class Function, bool kMoves, Factor kFactor>
  class ProductLink {
   public:
    HWY_INLINE ProductLink(const Step& step, int64_t position)
        : source_(step.source), factor_(step.other) {
      if constexpr (kMoves) source_ += position;
      if constexpr (kFactor == Factor::kMoves) factor_ += position;
      if constexpr (kFactor == Factor::kRepeats) {
        unit_ = Lanes::Load(D(), factor_);
      }
      if constexpr (!kMoves) unit_ = ProductAt(0);
    }
    HWY_INLINE V operator()(V value, size_t index) const {
      if constexpr (kMoves) {
        return Function()(value, ProductAt(index * kUnitBytes));
      } else {
        return Function()(value, unit_);
      }
    }

   private:
    HWY_INLINE V ProductAt(size_t offset) const {
      const V operand = Lanes::Load(D(), source_ + offset);
      if constexpr (kFactor == Factor::kItself) {
        return hn::Mul(operand, operand);
      } else if constexpr (kFactor == Factor::kMoves) {
        return hn::Mul(operand, Lanes::Load(D(), factor_ + offset));
      } else {
        return hn::Mul(operand, unit_);
      }
    }

    const std::byte* source_;
    const std::byte* factor_;
    V unit_;  // the factor, or the product, if it is one for all
  };

  // Now, not when it is used: else g++ computes most of all values first, more
  // than there are registers for.
  static HWY_INLINE V Finished(V value) {
    asm("" : "+v"(value.raw));
    return value;
  }

  template <class First>
  struct One {
    template <size_t... kIndices>
    static void Run(const Step* step, int64_t position, std::byte* result,
                    VectorAt<kIndices>... values) {
      const First first(step[0], position);
      ChainSteps::template Run<kIndices...>(
          step + 1, position, result, Finished(first(values, kIndices))...);
    }
  };

  template <class First, class Second>
  struct Two {
    template <size_t... kIndices>
    static void Run(const Step* step, int64_t position, std::byte* result,
                    VectorAt<kIndices>... values) {
      const First first(step[0], position);
      const Second second(step[1], position);
      ChainSteps::template Run<kIndices...>(
          step + 2, position, result,
          Finished(second(first(values, kIndices), kIndices))...);
    }
  };

  struct Root {
    HWY_INLINE Root(const Step&, int64_t) {}
    HWY_INLINE V operator()(V value, size_t) const { return hn::Sqrt(value); }
  };
  struct Square {
    HWY_INLINE Square(const Step&, int64_t) {}
    HWY_INLINE V operator()(V value, size_t) const {
      return hn::Mul(value, value);
    }
  };

  class Affine {
   public:
    HWY_INLINE Affine(const Step& step, int64_t)
        : slope_(Lanes::Load(D(), step.source)),
          offset_(Lanes::Load(D(), step.other)) {}
    HWY_INLINE V operator()(V value, size_t) const {
      return hn::MulAdd(value, slope_, offset_);
    }

   private:
    V slope_;
    V offset_;
  };

  // The quotient of usual values, and zeros, by a usual divisor.
  class UsualQuotient {
   public:
    HWY_INLINE UsualQuotient(const Step& step, int64_t)
        : divisor_(Lanes::Load(D(), step.source)),
          inverse_(Lanes::Load(D(), step.other)) {}
    HWY_INLINE V operator()(V value, size_t) const {
      return Quotient(D(), value, divisor_, inverse_);
    }

   private:
    V divisor_;
    V inverse_;
  };

  // By a usual divisor, once it is known whether all values are usual.
  struct DivideUsual {
    template <size_t... kIndices>
    static void Run(const Step* step, int64_t position, std::byte* result,
                    VectorAt<kIndices>... values) {
      if (AreUsual(D(), values...)) {
        One<UsualQuotient>::template Run<kIndices...>(step, position, result,
                                                      values...);
      } else {
        One<Link<Ratio, false>>::template Run<kIndices...>(step, position,
                                                           result, values...);
      }
    }
  };

  struct Same {
    HWY_INLINE Same(const Step&, int64_t) {}
    HWY_INLINE V operator()(V value, size_t) const { return value; }
  };

  template <class Last, class Codec, bool kStreams>
  struct End {
    template <size_t... kIndices>
    static void Run(const Step* step, int64_t position, std::byte* result,
                    VectorAt<kIndices>... values) {
      constexpr size_t kCount = sizeof...(kIndices);
      constexpr bool kHasLines =
          kCount > 1 &&
          kCount * hn::MaxLanes(D()) * Codec::kElementBytes % kLine == 0;
      const Last last(*step, position);
      PutUnits<Codec, kStreams && kHasLines>(
          D(), {Finished(last(values, kIndices))...}, result);
    }
  };

  template <class What, size_t... kIndices>
  static constexpr StepOn<kIndices...> On(std::index_sequence<kIndices...>) {
    return &What::template Run<kIndices...>;
  }
  template <class What>
  static const Kind* Doing() {
    static constexpr Kind kKind(On<What>(std::make_index_sequence<kGroup>()),
                                On<What>(std::make_index_sequence<kHalf>()),
                                On<What>(std::make_index_sequence<1>()));
    return &kKind;
  }
  template <class Last, class Codec>
  static const Kind* Ending(bool streams) {
    return streams ? Doing<End<Last, Codec, true>>()
                   : Doing<End<Last, Codec, false>>();
  }
  template <class Function>
  static const Kind* Combining(const Traits& traits) {
    return traits.moves ? Doing<One<Link<Function, true>>>()
                        : Doing<One<Link<Function, false>>>();
  }
  template <class Function, Factor kFactor>
  static const Kind* CombiningProductBy(bool moves) {
    return moves ? Doing<One<ProductLink<Function, true, kFactor>>>()
                 : Doing<One<ProductLink<Function, false, kFactor>>>();
  }
  template <class Function>
  static const Kind* CombiningProduct(const Traits& traits) {
    switch (traits.factor) {
      case Factor::kNone:
        return Combining<Function>(traits);
      case Factor::kItself:
        return CombiningProductBy<Function, Factor::kItself>(traits.moves);
      case Factor::kRepeats:
        return CombiningProductBy<Function, Factor::kRepeats>(traits.moves);
      case Factor::kMoves:
        break;
    }
    return Doing<One<ProductLink<Function, true, Factor::kMoves>>>();
  }
  template <class First, class Second>
  static const Kind* Combining(const Traits& first, const Traits& second) {
    if (first.moves) {
      return second.moves
                 ? Doing<Two<Link<First, true>, Link<Second, true>>>()
                 : Doing<Two<Link<First, true>, Link<Second, false>>>();
    }
    return second.moves ? Doing<Two<Link<First, false>, Link<Second, true>>>()
                        : Doing<Two<Link<First, false>, Link<Second, false>>>();
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_CHAIN_STEPS_INL_H_
