// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Between floating-point numbers and integers on a scale. Lanes are f32 where
// both types are exact in it with room for a sum of two integers, else f64.
//   quantize    x, scale, zero point: rint(x / scale) + zero point, saturated
//   dequantize  q, scale, zero point: (q - zero point) * scale

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/quantize.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// Integers as numbers; what is stored is one.
template <class T, class LaneType>
struct IntegersAs {
  using Lane = LaneType;
  static constexpr size_t kElementBytes = sizeof(T);

  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const std::byte* bytes) {
    const hn::Rebind<T, D> from;
    const hn::Rebind<int32_t, D> d32;
    const auto v = hn::LoadU(from, reinterpret_cast<const T*>(bytes));
    if constexpr (std::is_same_v<T, int32_t>) {
      return hn::PromoteTo(d, v);
    } else if constexpr (sizeof(Lane) == 4) {
      return hn::ConvertTo(d, hn::PromoteTo(d32, v));
    } else {
      return hn::PromoteTo(d, hn::PromoteTo(d32, v));
    }
  }

  template <class D>
  static HWY_INLINE void Store(D, hn::Vec<D> v, std::byte* bytes) {
    const hn::Rebind<T, D> to;
    const hn::Rebind<int32_t, D> d32;
    auto* elements = reinterpret_cast<T*>(bytes);
    if constexpr (std::is_same_v<T, int32_t>) {
      hn::StoreU(hn::DemoteTo(d32, v), d32, elements);
    } else if constexpr (sizeof(Lane) == 4) {
      hn::StoreU(hn::DemoteTo(to, hn::ConvertTo(d32, v)), to, elements);
    } else {
      hn::StoreU(hn::DemoteTo(to, hn::DemoteTo(d32, v)), to, elements);
    }
  }
};

// Elements of f16, bf16 and f32 in lanes of f64.
template <DType kFloat>
struct Widened {
  using Lane = double;
  static constexpr size_t kElementBytes = Values<kFloat>::kElementBytes;

  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const std::byte* bytes) {
    return hn::PromoteTo(d,
                         Values<kFloat>::Load(hn::Rebind<float, D>(), bytes));
  }
  template <class D>
  static HWY_INLINE void Store(D, hn::Vec<D> v, std::byte* bytes) {
    const hn::Rebind<float, D> d32;
    Values<kFloat>::Store(d32, hn::DemoteTo(d32, v), bytes);
  }
};

// How a pair of types is computed.
template <DType kFloat, class T>
struct Pairing {
  static constexpr bool kInF32 = kFloat != DType::kF64 && sizeof(T) <= 2;
  static constexpr bool kIsWidened = kFloat != DType::kF64 && !kInF32;
  using Floats =
      std::conditional_t<kIsWidened, Widened<kFloat>, Values<kFloat>>;
  using Integers = IntegersAs<T, typename Floats::Lane>;

  // What arithmetic in the lanes gives, as arithmetic in the type gives it.
  template <class D, class V>
  static HWY_INLINE V Rounded(D d, V x) {
    if constexpr (kIsWidened) {
      return hn::PromoteTo(d, hn::DemoteTo(hn::Rebind<float, D>(), x));
    } else {
      return x;
    }
  }
};

template <DType kFloat, class T>
struct ToInteger {
  using Types = Pairing<kFloat, T>;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V scale, V zero_point) const {
    using Lane = hn::TFromD<D>;
    using Limits = std::numeric_limits<T>;
    // Beyond this the sum is out of range whatever the zero point.
    const V far = hn::Set(d, Lane{4} * static_cast<Lane>(Limits::max()));
    V whole = hn::Round(Types::Rounded(d, hn::Div(x, scale)));
    whole = hn::IfThenElseZero(hn::Eq(whole, whole), whole);
    whole = hn::Max(hn::Min(whole, far), hn::Neg(far));
    const V sum = hn::Add(whole, zero_point);
    const V least = hn::Set(d, static_cast<Lane>(Limits::min()));
    const V greatest = hn::Set(d, static_cast<Lane>(Limits::max()));
    return hn::Max(hn::Min(sum, greatest), least);
  }
};

template <DType kFloat, class T>
struct FromInteger {
  using Types = Pairing<kFloat, T>;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V q, V scale, V zero_point) const {
    return hn::Mul(Types::Rounded(d, hn::Sub(q, zero_point)), scale);
  }
};

template <DType kFloat, class T>
constexpr void FillPair(QuantizePart& part, DType integer) {
  using Types = Pairing<kFloat, T>;
  using Floats = typename Types::Floats;
  using Integers = typename Types::Integers;
  constexpr int kRow = static_cast<int>(kFloat);
  const int column = static_cast<int>(integer);
  part.quantize[kRow][column] = &Elementwise<ToInteger<kFloat, T>, Integers,
                                             Floats, Floats, Integers>::Run;
  part.dequantize[kRow][column] = &Elementwise<FromInteger<kFloat, T>, Floats,
                                               Integers, Floats, Integers>::Run;
}

constexpr QuantizePart MakePart() {
  QuantizePart part{};
#define STRIDECAST_QUANTIZE(integer, cpp_type)            \
  FillPair<DType::kF16, cpp_type>(part, DType::integer);  \
  FillPair<DType::kBF16, cpp_type>(part, DType::integer); \
  FillPair<DType::kF32, cpp_type>(part, DType::integer);  \
  FillPair<DType::kF64, cpp_type>(part, DType::integer);
#include "core/kernels/rows/quantize.inc"
#undef STRIDECAST_QUANTIZE
  return part;
}

}  // namespace

#define STRIDECAST_PART QuantizePart
#define STRIDECAST_PART_OF QuantizePartOf
#include "core/kernels/table-inl.h"
