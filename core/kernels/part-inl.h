// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How a .cc of functors ends: its rows become its part of the table of this
// target, and once for all targets the function that lookup.cc asks. Included
// within HWY_NAMESPACE, which it closes, for each target again, with
//   STRIDECAST_PART       the function: ActivationsPart
//   STRIDECAST_PART_ROWS  the file: "core/kernels/rows/activations.inc"

absl::Span<const KernelRow> STRIDECAST_PART() {
  using namespace type_letters;  // NOLINT: the letters of the rows
  static constexpr KernelRow kRows[] = {
#define STRIDECAST_ELEMENTWISE(operation, types, functor) \
  MakeRow<functor, Opcode::k##operation, (types)>(),
#include STRIDECAST_PART_ROWS
#undef STRIDECAST_ELEMENTWISE
  };
  return kRows;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stridecast {

absl::Span<const KernelRow> STRIDECAST_PART(SimdTarget target) {
  return STRIDECAST_FOR_TARGET(STRIDECAST_PART, target);
}

}  // namespace stridecast
#endif

#undef STRIDECAST_PART
#undef STRIDECAST_PART_ROWS
