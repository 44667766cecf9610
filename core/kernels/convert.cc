// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Conversion between any two element types, as a route of one to four stages
// (stages-inl.h); rows that need several go through L1 in chunks. Each result
// is rounded once: see the odd stages.

#include <algorithm>
#include <type_traits>
#include <utility>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/convert.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/past_cache-inl.h"
#include "core/kernels/stages-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

constexpr int kMaxStages = 4;
// Of a chunk between two stages, whose elements have up to 8 bytes.
constexpr int64_t kChunk = 256;
// Of a chunk of the result that is written past the caches.
constexpr int64_t kStreamedBytes = 4096;

struct Route {
  Stage stages[kMaxStages] = {};
  int64_t element_bytes[kMaxStages + 1] = {};  // before the first, after each
  int num_stages = 0;
  int64_t parts = 1;  // 2: complex to complex, stages see real and imaginary

  constexpr Route Then(Stage stage, int64_t result_bytes) const {
    Route longer = *this;
    longer.stages[num_stages] = stage;
    longer.element_bytes[num_stages + 1] = result_bytes;
    longer.num_stages = num_stages + 1;
    return longer;
  }
};

HWY_NOINLINE void RunStages(const Route& route, int64_t count,
                            const std::byte* source, std::byte* result) {
  const int last = route.num_stages - 1;
  if (last == 0) {
    route.stages[0](count, source, result);
    return;
  }
  HWY_ALIGN std::byte between[2][kChunk * 8];
  for (int64_t done = 0; done < count; done += kChunk) {
    const int64_t part = count - done < kChunk ? count - done : kChunk;
    const std::byte* from = source + done * route.element_bytes[0];
    for (int i = 0; i < last; ++i) {
      route.stages[i](part, from, between[i % 2]);
      from = between[i % 2];
    }
    route.stages[last](part, from,
                       result + done * route.element_bytes[last + 1]);
  }
}

// The same, chunks of the result past the caches, which end with lines.
HWY_NOINLINE void StreamStages(const Route& route, int64_t count,
                               const std::byte* source, std::byte* result) {
  const int64_t source_bytes = route.element_bytes[0];
  const int64_t result_bytes = route.element_bytes[route.num_stages];
  HWY_ALIGN std::byte chunk[kStreamedBytes];
  for (int64_t done = 0, part; done < count; done += part) {
    std::byte* to = result + done * result_bytes;
    part = std::min((kStreamedBytes - PlaceIn(kLine, to)) / result_bytes,
                    count - done);
    RunStages(route, part, source + done * source_bytes, chunk);
    StreamRow(part * result_bytes, chunk, to);
  }
}

HWY_NOINLINE void RunRoute(const Route& route, int64_t rows, int64_t cols,
                           const BlockOperand* operands, BlockResult result) {
  const int64_t source_bytes = route.element_bytes[0] * route.parts;
  const int64_t result_bytes =
      route.element_bytes[route.num_stages] * route.parts;
  Block<1> block =
      JoinRows<1>(rows, cols, operands, result, &source_bytes, result_bytes);
  const std::byte*& data = block.data[0];
  for (int64_t row = 0; row < block.rows; ++row) {
    if (block.col_stride[0] == 0) {
      std::byte element[16];
      RunStages(route, route.parts, data, element);
      FillRowOf(result_bytes, block.result.data, element,
                block.cols * result_bytes);
    } else if (block.result.past_cache()) {
      StreamStages(route, block.cols * route.parts, data, block.result.data);
    } else {
      RunStages(route, block.cols * route.parts, data, block.result.data);
    }
    data += block.row_stride[0];
    block.result.data += block.result.row_stride();
  }
}

// What a type is converted through.
template <DType kType>
constexpr DType MiddleOf() {
  switch (kType) {
    case DType::kPred:
      return DType::kU8;
    case DType::kF16:
    case DType::kBF16:
    case DType::kC64:
      return DType::kF32;
    case DType::kC128:
      return DType::kF64;
    default:
      return kType;
  }
}

template <DType kFrom, DType kTo>
constexpr Route View(const Route& route) {
  return route.Then(&ViewStage<Values<kFrom>, Values<kTo>>,
                    Values<kTo>::kElementBytes);
}

// From the integer, f32 or f64 that `route` has arrived at to an integer.
template <DType kFrom, DType kTo, bool kSaturates>
constexpr Route ToInteger(const Route& route) {
  using From = CppType<kFrom>;
  using To = CppType<kTo>;
  constexpr int64_t kBytes = sizeof(To);
  if constexpr (std::is_integral_v<From>) {
    if constexpr (!kSaturates || Holds<To, From>()) {
      // The same bits for signed and unsigned results.
      return route.Then(&WrapStage<From, std::make_unsigned_t<To>>, kBytes);
    } else {
      return route.Then(&SaturateStage<From, To>, kBytes);
    }
  } else if constexpr (!kSaturates) {
    if constexpr (kFrom == DType::kF32) {
      return ToInteger<DType::kF64, kTo, false>(
          route.Then(&CastStage<float, double>, 8));
    } else {
      return ToInteger<DType::kU64, kTo, false>(route.Then(&ModularStage, 8));
    }
  } else if constexpr (sizeof(To) < 4) {
    return ToInteger<DType::kS32, kTo, true>(
        route.Then(&TruncateStage<From, int32_t>, 4));
  } else {
    return route.Then(&TruncateStage<From, To>, kBytes);
  }
}

// To f16, bf16, f32 or c64.
template <DType kFrom, DType kTo>
constexpr Route ToNarrowFloat(const Route& route) {
  using From = CppType<kFrom>;
  // Two roundings are one if the first is to odd, with two bits to spare.
  constexpr bool kRoundsTwice = kTo == DType::kF16 || kTo == DType::kBF16;
  if constexpr (kFrom == DType::kF32) {
    return View<kFrom, kTo>(route);
  } else if constexpr (std::is_integral_v<From> && sizeof(From) >= 4 &&
                       kRoundsTwice) {
    return ToNarrowFloat<DType::kF64, kTo>(
        route.Then(&ToOddDoubleStage<From>, 8));
  } else {
    constexpr Stage kStage = kFrom == DType::kF64 && kRoundsTwice
                                 ? &ToOddFloatStage
                                 : &CastStage<From, float>;
    const Route at_f32 = route.Then(kStage, 4);
    if constexpr (kTo == DType::kF32) {
      return at_f32;
    } else {
      return View<DType::kF32, kTo>(at_f32);
    }
  }
}

// To f64 or c128.
template <DType kFrom, DType kTo>
constexpr Route ToWideFloat(const Route& route) {
  if constexpr (kFrom == DType::kF64) {
    return View<kFrom, kTo>(route);
  } else {
    const Route at_f64 = route.Then(&CastStage<CppType<kFrom>, double>, 8);
    if constexpr (kTo == DType::kF64) {
      return at_f64;
    } else {
      return View<DType::kF64, kTo>(at_f64);
    }
  }
}

template <DType kFrom, DType kTo, bool kSaturates>
constexpr Route MakeRoute() {
  constexpr DType kMiddle = MiddleOf<kFrom>();
  constexpr bool kFromComplex = StaticClassOf(kFrom) == kComplexClass;
  constexpr bool kToComplex = StaticClassOf(kTo) == kComplexClass;
  Route route;
  if constexpr (kFromComplex && kToComplex && kFrom != kTo) {
    // As twice as many real numbers.
    route.parts = 2;
    route.element_bytes[0] = sizeof(CppType<kMiddle>);
    return route.Then(&CastStage<CppType<kMiddle>, CppType<MiddleOf<kTo>()>>,
                      sizeof(CppType<MiddleOf<kTo>()>));
  }
  route.element_bytes[0] = Values<kFrom>::kElementBytes;
  if constexpr (std::is_same_v<typename Values<kFrom>::Lane,
                               typename Values<kTo>::Lane> &&
                !(kTo == DType::kPred && kFrom != DType::kPred)) {
    return View<kFrom, kTo>(route);
  }
  if constexpr (!std::is_integral_v<CppType<kMiddle>> && kFrom != kMiddle) {
    route = View<kFrom, kMiddle>(route);
  }
  if constexpr (kTo == DType::kPred) {
    return route.Then(&NonZeroStage<CppType<kMiddle>>, 1);
  } else if constexpr (std::is_integral_v<CppType<kTo>>) {
    return ToInteger<kMiddle, kTo, kSaturates>(route);
  } else if constexpr (MiddleOf<kTo>() == DType::kF64) {
    return ToWideFloat<kMiddle, kTo>(route);
  } else {
    return ToNarrowFloat<kMiddle, kTo>(route);
  }
}

template <DType kFrom, DType kTo, bool kSaturates>
struct Conversion {
  static constexpr Route kRoute = MakeRoute<kFrom, kTo, kSaturates>();

  static void Run(int64_t rows, int64_t cols, const BlockOperand* operands,
                  BlockResult result) {
    RunRoute(kRoute, rows, cols, operands, result);
  }
};

template <DType kFrom, size_t... k>
constexpr void FillFrom(ConvertPart& part, std::index_sequence<k...>) {
  constexpr int kRow = static_cast<int>(kFrom);
  ((part.by_types[0][kRow][static_cast<int>(kAllDTypes[k])] =
        &Conversion<kFrom, kAllDTypes[k], false>::Run),
   ...);
  ((part.by_types[1][kRow][static_cast<int>(kAllDTypes[k])] =
        &Conversion<kFrom, kAllDTypes[k], true>::Run),
   ...);
}

template <size_t... k>
constexpr ConvertPart MakePartOf(std::index_sequence<k...> all) {
  ConvertPart part{};
  (FillFrom<kAllDTypes[k]>(part, all), ...);
  return part;
}

constexpr ConvertPart MakePart() {
  return MakePartOf(std::make_index_sequence<std::size(kAllDTypes)>());
}

}  // namespace

#define STRIDECAST_PART ConvertPart
#define STRIDECAST_PART_OF ConvertPartOf
#include "core/kernels/table-inl.h"
