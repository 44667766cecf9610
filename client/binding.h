// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Whether the caller's tensors are those of a signature: all that the client
// checks, because it would touch wrong memory otherwise.

#ifndef STRIDECAST_CLIENT_BINDING_H_
#define STRIDECAST_CLIENT_BINDING_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stridecast/request.h"
#include "stridecast/segments.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

// Whether the same bytes mean the same tensor under both.
bool AreAlike(const TensorDesc& a, const TensorDesc& b);

// "f32[2,3]{1,0}, 24 bytes".
std::string DescAndSize(const TensorDesc& desc);

SegmentedBytes BytesOf(const TensorView& view);

// Errors of all: kInvalidArgument; also for data that is null.

// The bytes of operands, one for one.
absl::StatusOr<std::vector<SegmentedBytes>> BindOperands(
    const Signature& signature, absl::Span<const TensorView> operands);

// `signature` asking for exactly these results, one per ResultSpec.
absl::StatusOr<Signature> WithResults(Signature signature,
                                      absl::Span<const TensorDesc> results);
absl::StatusOr<Signature> BindResults(
    const Signature& signature, absl::Span<const MutableTensorView> results);
absl::Status CheckMemory(absl::Span<const MutableTensorView> results);

std::vector<TensorDesc> DescsOf(absl::Span<const MutableTensorView> views);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_BINDING_H_
