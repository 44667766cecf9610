// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How a .cc ends whose kernels are found otherwise than by rows (part-inl.h):
// its MakePart(), a constant expression, becomes the part of this target, and
// once for all targets there is the function that lookup.cc asks. Included
// within HWY_NAMESPACE, which it closes, for each target again, with
//   STRIDECAST_PART     the struct of parts.h: CopyPart
//   STRIDECAST_PART_OF  the function: CopyPartOf

namespace {

const STRIDECAST_PART& PartOfThisTarget() {
  static constexpr STRIDECAST_PART kPart = MakePart();
  return kPart;
}

}  // namespace

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stridecast {

const STRIDECAST_PART& STRIDECAST_PART_OF(SimdTarget target) {
  return STRIDECAST_FOR_TARGET(PartOfThisTarget, target);
}

}  // namespace stridecast
#endif

#undef STRIDECAST_PART
#undef STRIDECAST_PART_OF
