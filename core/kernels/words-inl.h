// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Operations on integers of 1 and 2 bytes as integers of 4, for which there are
// more instructions.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(STRIDECAST_CORE_KERNELS_WORDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_WORDS_INL_H_
#undef STRIDECAST_CORE_KERNELS_WORDS_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_WORDS_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The elements of 4 bytes that stand at one place, 0 the lowest, as words.
template <size_t kPlace, class D, class V = hn::Vec<D>>
HWY_INLINE auto WordsAt(D, V v) {
  using T = hn::TFromD<D>;
  using Word = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
  const hn::Repartition<Word, D> words;
  constexpr int kBits = sizeof(T) * 8;
  constexpr int kAbove = 32 - kBits - static_cast<int>(kPlace) * kBits;
  const auto up = hn::ShiftLeft<kAbove>(hn::BitCast(words, v));
  return hn::BitCast(hn::Repartition<int32_t, D>(),
                     hn::ShiftRight<32 - kBits>(up));
}

// f(tag, words...) on words with the values of the lanes, as int32_t; of what
// it returns the low bits are taken.
template <class D, class F, class... V>
HWY_INLINE hn::Vec<D> ByWords(D d, F f, V... operands) {
  using T = hn::TFromD<D>;
  const hn::Repartition<int32_t, D> words;
  const hn::RebindToUnsigned<decltype(words)> bits;
  constexpr int kBits = sizeof(T) * 8;
  const auto low = hn::Set(bits, (uint32_t{1} << kBits) - 1);
  const auto at = [&](auto place) HWY_ATTR {
    constexpr int kShift = static_cast<int>(place) * kBits;
    const auto result =
        hn::BitCast(bits, f(words, WordsAt<place>(d, operands)...));
    // What is above the highest place falls out.
    if constexpr (kShift + kBits == 32) {
      return hn::ShiftLeft<kShift>(result);
    } else {
      return hn::ShiftLeft<kShift>(hn::And(result, low));
    }
  };
  const auto all = [&]<size_t... kPlaces>(std::index_sequence<kPlaces...>)
      HWY_ATTR {
    auto joined = hn::Zero(bits);
    ((joined = hn::Or(joined, at(std::integral_constant<size_t, kPlaces>()))),
     ...);
    return joined;
  };
  return hn::BitCast(d, all(std::make_index_sequence<4 / sizeof(T)>()));
}

// f(tag, lanes...) on the lanes themselves, or on their words where lanes have
// fewer than 4 bytes.
template <class D, class F, class... V>
HWY_INLINE hn::Vec<D> AsWords(D d, F f, V... operands) {
  if constexpr (sizeof(hn::TFromD<D>) < 4) {
    return ByWords(d, f, operands...);
  } else {
    return f(d, operands...);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_WORDS_INL_H_
