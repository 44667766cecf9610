// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Payloads: what came is held against the descriptor, and typed lists are
// converted to and from the bytes of a buffer.
// Rules:
//   (P1) raw bytes are as many as the descriptor says, typed entries as many as
//        the buffer has elements (twice as many for complex types)
//   (P2) no entry of a list is changed silently: what the type cannot hold is
//        an error with the index; only f16 and bf16 round
//   (P3) the typed lists of one message hold at most kMaxTypedElements
// Errors are kInvalidArgument with the field relative to Payload.

#ifndef STRIDECAST_PROTO_WIRE_PAYLOAD_CODEC_H_
#define STRIDECAST_PROTO_WIRE_PAYLOAD_CODEC_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "stridecast/tensor.h"
#include "stridecast/v1/tensor.pb.h"

namespace stridecast {

inline constexpr int64_t kMaxTypedElements = int64_t{1} << 20;

enum class PayloadKind : int8_t {
  kEmpty,  // no field set: a buffer of no bytes
  kRaw,
  kTyped,
};

// Which kind of payload this is, once (P1) and (P3) hold. `raw_bytes` is the
// length of the field `raw`, whether or not it is in `lists`. Elements of a
// typed list are taken off `typed_elements_left`.
absl::StatusOr<PayloadKind> CheckPayload(const TensorDesc& desc,
                                         int64_t raw_bytes,
                                         const v1::Payload& lists,
                                         int64_t& typed_elements_left);

// Writes the buffer, desc.size_bytes() long, that the list stands for. Needs a
// payload that CheckPayload called kTyped. Errors: (P2).
absl::Status ListToBytes(const TensorDesc& desc, const v1::Payload& lists,
                         std::byte* bytes);

// The typed list of a buffer of desc.size_bytes() bytes. A pred that is not 0
// becomes true.
v1::Payload BytesToList(const TensorDesc& desc, const std::byte* bytes);

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_PAYLOAD_CODEC_H_
