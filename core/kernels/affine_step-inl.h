// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One product and sum in place of a chain of bytes by constants. Results of two
// bytes or one round off most of what the chain's own roundings do, and that
// all results are the same can be tried: there are 256 bytes.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/kernels/affine_form.h"

#if defined(STRIDECAST_CORE_KERNELS_AFFINE_STEP_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_AFFINE_STEP_INL_H_
#undef STRIDECAST_CORE_KERNELS_AFFINE_STEP_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_AFFINE_STEP_INL_H_
#endif

#include "core/kernels/chain_codec-inl.h"
#include "core/kernels/chain_steps-inl.h"
#include "core/kernels/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

class AffineStep {
  using Steps = ChainSteps<DType::kF32>;
  using D = hn::ScalableTag<float>;

 public:
  using Step = Steps::Step;

  // Of chains from `first`, u8 or s8, to `last`, of at most two bytes.
  AffineStep(DType first, DType last)
      : least_(first == DType::kS8 ? -128 : 0),
        last_(last),
        last_bytes_(ElementBytes(last)) {}

  // One step with the results of `chain`, which are numbers. The affine form is
  // some ULP of f32 off; where it fails for that, one with an offset beside it
  // mostly does not. Null if none is found.
  const Step* Find(const AffineForm& form, const Step* chain) {
    HWY_ALIGN std::byte wanted[2 * kNumBytes];
    for (int64_t at = 0; at < kNumBytes; at += kElements) {
      RunBytes(chain, at, wanted + at * last_bytes_);
    }
    step_.source = slope_;
    step_.other = offset_;
    Fill(slope_, static_cast<float>(form.slope));
    const auto offset = static_cast<float>(form.offset);
    for (const Rounding rounding : {Rounding::kNoTies, Rounding::kAny}) {
      rounding_ = rounding;
      SetEnd(/*streams=*/false);
      for (const float tried : {offset, std::nextafter(offset, -HUGE_VALF),
                                std::nextafter(offset, HUGE_VALF)}) {
        Fill(offset_, tried);
        if (HasResults(wanted)) return &step_;
      }
      if (last_ != DType::kBF16) break;
    }
    return nullptr;
  }

  void SetEnd(bool streams) {
    if (last_ == DType::kBF16 && rounding_ == Rounding::kNoTies) {
      using Codec = BF16Lanes<Nans::kNone, Rounding::kNoTies>;
      step_.kind = Steps::template KindOfAffine<Codec>(streams);
    } else {
      WithChainCodec<DType::kF32, Nans::kNone>(last_, [&](auto codec) {
        step_.kind = Steps::template KindOfAffine<decltype(codec)>(streams);
      });
    }
  }

 private:
  static constexpr int64_t kNumBytes = 256;
  static constexpr int64_t kUnit = hn::MaxLanes(D());
  static constexpr int64_t kElements = Steps::kGroup * kUnit;
  static_assert(kNumBytes % kElements == 0);
  using Unit = std::byte[kUnit * sizeof(float)];

  static void Fill(std::byte* unit, float number) {
    const D d;
    RawLanes<float>::Store(d, hn::Set(d, number), unit);
  }

  bool HasResults(const std::byte* wanted) const {
    HWY_ALIGN std::byte results[2 * kElements];
    for (int64_t at = 0; at < kNumBytes; at += kElements) {
      RunBytes(&step_, at, results);
      if (std::memcmp(results, wanted + at * last_bytes_,
                      static_cast<size_t>(kElements * last_bytes_)) != 0) {
        return false;
      }
    }
    return true;
  }

  // The bytes from place `at` on, in the order of their numbers.
  void RunBytes(const Step* steps, int64_t at, std::byte* results) const {
    RunNumbers(steps, least_ + static_cast<float>(at), results,
               std::make_index_sequence<Steps::kGroup>());
  }
  template <size_t... kIndices>
  static void RunNumbers(const Step* steps, float first, std::byte* results,
                         std::index_sequence<kIndices...>) {
    Steps::Run<kIndices...>(
        steps, 0, results,
        hn::Iota(D(), first + static_cast<float>(kIndices * kUnit))...);
  }

  const float least_;
  const DType last_;
  const int64_t last_bytes_;
  Rounding rounding_ = Rounding::kNoTies;  // of what is stored
  Step step_ = {};
  HWY_ALIGN Unit slope_;
  HWY_ALIGN Unit offset_;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_AFFINE_STEP_INL_H_
