// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The one loop of all element-wise kernels:
//   result[i] = Op()(d, operand0[i], operand1[i], ...)
// a vector of Lanes(d) elements (a unit) at a time; the first and the last unit
// of a row may overlap their neighbours, so the result may not lie in an
// operand (K4). A row shorter than a unit goes through a buffer of one unit. A
// repeated operand is a unit that does not advance.
// Op is a functor of functors-inl.h.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/kernels/block.h"
#include "core/kernels/fetch_ahead.h"
#include "core/kernels/parts.h"
#include "hwy/cache_control.h"

#if defined(STRIDECAST_CORE_KERNELS_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_LOOPS_INL_H_
#undef STRIDECAST_CORE_KERNELS_LOOPS_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_LOOPS_INL_H_
#endif

#include "core/kernels/functors-inl.h"
#include "core/kernels/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Out of line, lest every kernel has its own.
template <size_t kBytes, size_t kCount>
HWY_NOINLINE void RepeatUnit(std::byte* unit, const std::byte* element) {
  Repeat<kBytes, kCount>(unit, element);
}
HWY_NOINLINE inline void CopyUnitPart(std::byte* to, const std::byte* from,
                                      size_t num_bytes) {
  CopyShort(to, from, num_bytes);
}

template <class First, class... Rest>
struct LastOf : LastOf<Rest...> {};
template <class Only>
struct LastOf<Only> {
  using Codec = Only;
};

// A kernel; Result and Operands are codecs. The last operand decides the lanes.
template <class Op, class Result, class... Operands>
class Elementwise {
 public:
  static void Run(int64_t rows, int64_t cols, const BlockOperand* operands,
                  BlockResult result) {
    Block<kArity> block = JoinRows<kArity>(rows, cols, operands, result,
                                           kOperandBytes, kResultBytes);
    Units units;
    // So that a short row leaves defined lanes behind its end.
    if (block.cols < kUnit) std::memset(&units, 0, sizeof(units));
    for (int64_t row = 0; row < block.rows; ++row) {
      RunRow(block, units, std::make_index_sequence<kArity>());
      for (int k = 0; k < kArity; ++k) block.data[k] += block.row_stride[k];
      block.result.data += block.result.row_stride();
    }
  }

 private:
  static constexpr int kArity = sizeof...(Operands);
  static constexpr int64_t kOperandBytes[] = {Operands::kElementBytes...};
  static constexpr int64_t kResultBytes = Result::kElementBytes;
  using D = hn::ScalableTag<typename LastOf<Operands...>::Codec::Lane>;
  static constexpr int64_t kUnit = hn::MaxLanes(D());
  static constexpr int64_t kUnitBytes = kUnit * kResultBytes;
  // A row that is worth a unit more.
  static constexpr int64_t kMinAlignedElements = 8 * kUnit;
  // How far ahead operands are prefetched: 1 KiB of f32.
  static constexpr int64_t kAheadElements = 256;
  // Of operands that are converted and whose results go past the caches.
  static constexpr int64_t kConvertAheadBytes = 2048;
  static constexpr int64_t kMaxUnitBytes = 2 * HWY_MAX_BYTES;
  static constexpr bool kIsLight = std::is_base_of_v<Light, Op>;
  // Whether results can be written past the caches.
  static constexpr bool kStreams = requires(D d, hn::Vec<D> v, std::byte* to) {
    Result::Stream(d, v, to);
  };

  // Whether elements are not lanes as they lie.
  static constexpr bool kConverts =
      kResultBytes < static_cast<int64_t>(sizeof(hn::TFromD<D>));

  static constexpr bool kByParity =
      HasParities<Result, D>() && (HasParities<Operands, D>() && ...);

  // What is left of a row.
  struct Row {
    const std::byte* from[kArity];
    int64_t unit_step[kArity];
    std::byte* to;
    int64_t left;
  };

  struct Units {
    HWY_ALIGN std::byte operand[kArity][kMaxUnitBytes];
    HWY_ALIGN std::byte result[kMaxUnitBytes];
  };

  template <class Operand>
  static HWY_INLINE void StartOperand(const std::byte* data, int64_t col_stride,
                                      int64_t cols, std::byte* unit,
                                      const std::byte*& from,
                                      int64_t& unit_step) {
    constexpr int64_t kBytes = Operand::kElementBytes;
    from = unit;
    unit_step = 0;
    if (col_stride == 0) {
      RepeatUnit<kBytes, kUnit>(unit, data);
    } else if (cols < kUnit) {
      CopyUnitPart(unit, data, static_cast<size_t>(cols * kBytes));
    } else {
      from = data;
      unit_step = kBytes * kUnit;
    }
  }

  // The unit that begins with element `at` of operands that all advance.
  template <size_t... k>
  static HWY_INLINE auto UnitAt(int64_t at, const std::byte* const* from,
                                std::index_sequence<k...>) {
    const D d;
    return Apply<Op>(
        d, Operands::Load(d, from[k] + at * Operands::kElementBytes)...);
  }

  // The unit that begins the row.
  template <size_t... k>
  static HWY_INLINE auto NextUnit(const Row& row, std::index_sequence<k...>) {
    const D d;
    return Apply<Op>(d, Operands::Load(d, row.from[k])...);
  }

  template <size_t... k>
  static HWY_INLINE void SkipUnits(Row& row, int64_t count,
                                   std::index_sequence<k...>) {
    ((row.from[k] += count * row.unit_step[k]), ...);
    row.to += count * kUnitBytes;
    row.left -= count * kUnit;
  }

  // Fewer than a unit has.
  template <size_t... k>
  static HWY_INLINE void SkipElements(Row& row, int64_t count,
                                      std::index_sequence<k...>) {
    ((row.from[k] += row.unit_step[k] / kUnit * count), ...);
    row.to += count * kResultBytes;
    row.left -= count;
  }

  // Elements [begin, begin + count) of a unit, where lines next to them are
  // written past the caches and must not be touched.
  template <class V>
  static HWY_INLINE void StorePart(V unit, int64_t begin, int64_t count,
                                   Units& units, std::byte* to) {
    Result::Store(D(), unit, units.result);
    CopyUnitPart(to, units.result + begin * kResultBytes,
                 static_cast<size_t>(count * kResultBytes));
  }

  // The two units that begin with element `at` of operands that all advance.
  template <bool kPastCache, size_t... k>
  static HWY_INLINE void PutTwoAt(int64_t at, const std::byte* const* from,
                                  std::byte* to,
                                  std::index_sequence<k...> each) {
    if constexpr (kByParity) {
      const D d;
      const auto apply = [&](auto... two) HWY_ATTR {
        return Result::JoinParities(
            d, {Apply<Op>(d, two.even...), Apply<Op>(d, two.odd...)});
      };
      PutVector<kPastCache>(apply(Operands::LoadParities(
                                d, from[k] + at * Operands::kElementBytes)...),
                            to);
    } else {
      PutUnits<Result, kPastCache>(
          D(), {UnitAt(at, from, each), UnitAt(at + kUnit, from, each)}, to);
    }
  }

  // What those that follow some turns later read.
  template <size_t... k>
  static HWY_INLINE void FetchTwoAt(int64_t at, const std::byte* const* from,
                                    std::index_sequence<k...>) {
    static_assert(((2 * kUnit * Operands::kElementBytes <= kLine) && ...));
    (FetchLine(from[k] + at * Operands::kElementBytes + kConvertAheadBytes),
     ...);
  }

  // Units by twos of operands that all advance; returns how many elements.
  template <bool kPastCache>
  static HWY_INLINE int64_t RunDense(int64_t cols, const std::byte* const* from,
                                     std::byte* to) {
    const std::make_index_sequence<kArity> each;
    const int64_t end = cols - cols % (2 * kUnit);
    for (int64_t at = 0; at < end; at += 2 * kUnit) {
      if constexpr (kPastCache && kConverts) FetchTwoAt(at, from, each);
      PutTwoAt<kPastCache>(at, from, to + at * kResultBytes, each);
    }
    return end;
  }

  // All whole units of a row.
  template <bool kPastCache, size_t... k>
  static HWY_INLINE void RunUnits(Row& row, std::index_sequence<k...> each) {
    if (((row.unit_step[k] != 0) && ...)) {
      SkipUnits(row, RunDense<kPastCache>(row.left, row.from, row.to) / kUnit,
                each);
    }
    for (; row.left >= kUnit; SkipUnits(row, 1, each)) {
      PutUnits<Result, kPastCache>(D(), {NextUnit(row, each)}, row.to);
    }
  }

  // Units by twos, the first `streamed` elements past the caches. Both of two
  // units are computed before either is stored, so that the compiler can mix
  // their instructions: with one alone the CPU waits for each of its steps.
  template <size_t... k>
  static HWY_INLINE void RunMixed(Row& row, int64_t streamed,
                                  std::index_sequence<k...> each) {
    const D d;
    for (; row.left >= 2 * kUnit; SkipUnits(row, 2, each)) {
      if (row.left > kAheadElements) {
        (Prefetch<Operands>(row.from[k], row.unit_step[k]), ...);
      }
      const auto first = NextUnit(row, each);
      const auto second =
          Apply<Op>(d, Operands::Load(d, row.from[k] + row.unit_step[k])...);
      if constexpr (kStreams) {
        if (streamed >= 2 * kUnit) {
          PutUnits<Result, true>(d, {first, second}, row.to);
          streamed -= 2 * kUnit;
          continue;
        }
      }
      PutUnits<Result, false>(d, {first, second}, row.to);
    }
  }

  // The two units of an operand that are needed some turns later, unless it
  // repeats.
  template <class Operand>
  static HWY_INLINE void Prefetch(const std::byte* from, int64_t unit_step) {
    if (unit_step == 0) return;
    constexpr int64_t kBytes = 2 * kUnit * Operand::kElementBytes;
    for (int64_t line = 0; line < kBytes; line += kLine) {
      hwy::Prefetch(from + kAheadElements * Operand::kElementBytes + line);
    }
  }

  // Computes a unit more, so that those after it are not stored across lines.
  // Returns how many elements from there on, whole lines of them, are to be
  // written past the caches.
  template <size_t... k>
  static HWY_INLINE int64_t AlignRow(bool past_cache, Row& row, Units& units,
                                     std::index_sequence<k...> each) {
    if (row.left < kMinAlignedElements || PlaceIn(kResultBytes, row.to) != 0)
      return 0;
    while (PlaceIn(past_cache ? kLine : kUnitBytes, row.to) != 0) {
      const int64_t count = kUnit - PlaceIn(kUnitBytes, row.to) / kResultBytes;
      const auto unit = NextUnit(row, each);
      if (past_cache) {
        StorePart(unit, 0, count, units, row.to);
      } else {
        Result::Store(D(), unit, row.to);
      }
      SkipElements(row, count, each);
    }
    return past_cache ? row.left - row.left % (kLine / kResultBytes) : 0;
  }

  // The last unit of a row overlaps the one before it, unless that is past the
  // caches.
  template <size_t... k>
  static HWY_INLINE void FinishRow(bool streams, bool is_short, Row& row,
                                   Units& units,
                                   std::index_sequence<k...> each) {
    while (row.left > 0) {
      const bool is_part = row.left < kUnit && !is_short;
      const int64_t before = is_part ? kUnit - row.left : 0;
      if (is_part) {
        ((row.from[k] -= row.unit_step[k] / kUnit * before), ...);
      }
      const auto unit = NextUnit(row, each);
      if (is_part && streams) {
        StorePart(unit, before, row.left, units, row.to);
        return;
      }
      Result::Store(D(), unit, row.to - before * kResultBytes);
      SkipUnits(row, 1, each);
    }
  }

  template <size_t... k>
  static HWY_INLINE void RunRow(const Block<kArity>& block, Units& units,
                                std::index_sequence<k...> each) {
    Row row;
    (StartOperand<Operands>(block.data[k], block.col_stride[k], block.cols,
                            units.operand[k], row.from[k], row.unit_step[k]),
     ...);
    row.to = block.result.data;
    row.left = block.cols;
    if (row.left < kUnit) {
      row.to = units.result;
      FinishRow(false, true, row, units, each);
      CopyUnitPart(block.result.data, units.result,
                   static_cast<size_t>(block.cols * kResultBytes));
      return;
    }
    const bool past_cache = kStreams && block.result.past_cache();
    const int64_t streamed =
        kIsLight || past_cache ? AlignRow(past_cache, row, units, each) : 0;
    if constexpr (!kIsLight) {
      RunMixed(row, streamed, each);
    } else {
      const int64_t rest = row.left - streamed;
      if constexpr (kStreams) {
        row.left = streamed;
        if (streamed > 0) RunUnits<true>(row, each);
      }
      row.left = rest;
      RunUnits<false>(row, each);
    }
    FinishRow(streamed > 0, false, row, units, each);
  }
};

template <class Op>
constexpr size_t NumParameters() {
  if constexpr (requires { Op::kParameters; }) {
    return Op::kParameters;
  } else {
    return 0;
  }
}

// False where a functor leaves out a type of the class that its row names.
template <class Op, DType kType>
constexpr bool IsDefined() {
  if constexpr (requires { Op::template kIsDefined<kType>; }) {
    return Op::template kIsDefined<kType>;
  } else {
    return true;
  }
}

template <class Codec, size_t>
using Repeated = Codec;

template <class Op, DType kType, class Operand, size_t... k, size_t... p>
auto DenseKernel(std::index_sequence<k...>, std::index_sequence<p...>)
    -> Elementwise<Op, typename Op::template Result<kType>,
                   Repeated<Operand, k>...,
                   Repeated<RawLanes<typename Operand::Lane>, p>...>;

// The kernel of a functor on operands of one type.
template <class Op, DType kType, Form kForm>
struct KernelOf
    : decltype(DenseKernel<Op, kType, typename Op::template Operand<kType>>(
          std::make_index_sequence<ArityOf(kForm)>(),
          std::make_index_sequence<NumParameters<Op>()>())) {};
// A pred, then two values.
template <class Op, DType kType>
struct KernelOf<Op, kType, Form::kSelect>
    : Elementwise<Op, typename Op::template Result<kType>, MaskLanes,
                  typename Op::template Operand<kType>,
                  typename Op::template Operand<kType>> {};
template <class Op, DType kType>
struct OpOf {
  using Type = Op;
};
template <template <DType> class Op, DType kType>
struct OpOf<PerType<Op>, kType> {
  using Type = Op<kType>;
};

template <class Op, Form kForm, unsigned kTypes, DType kType>
constexpr Kernel KernelIfIn() {
  using TypeOp = typename OpOf<Op, kType>::Type;
  if constexpr ((kTypes & StaticClassOf(kType)) != 0 &&
                IsDefined<TypeOp, kType>()) {
    return &KernelOf<TypeOp, kType, kForm>::Run;
  } else {
    return nullptr;
  }
}

// Writes the kernels of `kTypes` (TypeClass bits) to by_type.
template <class Op, Form kForm, unsigned kTypes, size_t... k>
constexpr void FillByType(Kernel* by_type, std::index_sequence<k...>) {
  ((by_type[static_cast<int>(kAllDTypes[k])] =
        KernelIfIn<Op, kForm, kTypes, kAllDTypes[k]>()),
   ...);
}

template <class Op, Opcode kOpcode, unsigned kTypes>
constexpr KernelRow MakeRow() {
  KernelRow row{kOpcode, {}};
  FillByType<Op, StaticFormOf(kOpcode), kTypes>(
      row.by_type, std::make_index_sequence<std::size(kAllDTypes)>());
  return row;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_LOOPS_INL_H_
