// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// All payloads of one message beside the descriptors of its tensors: decoded as
// views, encoded as lists where that is wanted.

#ifndef STRIDECAST_PROTO_WIRE_PAYLOAD_LIST_H_
#define STRIDECAST_PROTO_WIRE_PAYLOAD_LIST_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proto/wire/message_join.h"
#include "proto/wire/message_split.h"
#include "stridecast/segments.h"
#include "stridecast/tensor.h"

namespace stridecast {

enum class UnknownFields { kReject, kIgnore };

struct DecodedPayloads {
  std::vector<SegmentedBytes> views;  // one per tensor, of its size_bytes()
  bool all_typed = false;             // at least one typed and none raw
};

// The payloads of `parts`, one per descriptor; what is converted from typed
// lists is kept in parts.storage.
// Errors: kInvalidArgument with field "payloads", "payloads[i]..." or
// "payload...".
absl::StatusOr<DecodedPayloads> DecodePayloads(
    absl::Span<const TensorDesc> descs, const PayloadField& field,
    UnknownFields unknown, int64_t typed_elements_left, SplitMessage& parts);

// Whether a typed list may carry a buffer of that many elements.
bool FitsTypedList(const TensorDesc& desc);

// Adds a buffer of desc.size_bytes() bytes as a typed list.
void AddTypedPayload(const TensorDesc& desc, const SegmentedBytes& bytes,
                     MessageJoiner& joiner);

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_PAYLOAD_LIST_H_
