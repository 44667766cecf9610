// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A received message cut in two, in one pass over the slices that gRPC received
// it in: raw payloads, viewed where they lie, and the rest, which is small and
// becomes a message again for protobuf to parse.
// Rules:
//   (M1) parsing the parts equals parsing the whole: fields in any order, the
//        last `raw` wins, lists and sub-messages merge, unknown fields are kept
//   (M2) what is copied is bounded, whatever arrives: protobuf turns two bytes
//        into an object of a hundred

#ifndef STRIDECAST_PROTO_WIRE_MESSAGE_SPLIT_H_
#define STRIDECAST_PROTO_WIRE_MESSAGE_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "stridecast/segments.h"

namespace stridecast {

// All fields of a message but its payloads. The greatest specification within
// the default limits on counts takes about a third of this.
inline constexpr int64_t kMaxHeadBytes = int64_t{1} << 20;
// Far above the limit on operands, which is not checked here.
inline constexpr int64_t kMaxPayloads = 4096;
// Typed lists of all payloads: kMaxTypedElements of 16 bytes and the tags of
// their entries.
inline constexpr int64_t kMaxListBytes = int64_t{20} << 20;

// The field of requests and replies that holds payloads.
inline constexpr int kPayloadNumber = 15;
enum class PayloadField { kSingular, kRepeated };

struct SplitPayload {
  SegmentedBytes raw;
  std::string lists;  // a serialized Payload without its `raw`
};

// What the payloads of a decoded message view.
struct MessageStorage {
  std::vector<grpc::Slice> slices;
  std::vector<std::unique_ptr<std::byte[]>> from_lists;
};

struct SplitMessage {
  std::string head;                    // the message without its payloads
  std::vector<SplitPayload> payloads;  // a singular one: at most one
  std::shared_ptr<MessageStorage> storage;
};

// Errors: kInvalidArgument with field "request", "payloads" or "payload";
// kResourceExhausted if more than kMaxHeadBytes are no payload.
absl::StatusOr<SplitMessage> Split(const grpc::ByteBuffer& message,
                                   PayloadField payload_field);

// The bytes of a message that should be small. Errors: kResourceExhausted if it
// has more than kMaxHeadBytes.
absl::StatusOr<std::string> CopySmall(const grpc::ByteBuffer& message);

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_MESSAGE_SPLIT_H_
