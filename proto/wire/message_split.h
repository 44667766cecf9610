// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A received message cut in two, in one pass over the slices that gRPC received
// it in: the bytes of tensors, viewed where they lie, and the rest, which is
// small and becomes messages again for protobuf to parse.
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

// The sub-message that holds bytes of tensors, and its field that does.
struct PayloadField {
  int number;
  int raw_number;
  bool is_repeated;
  int64_t max_rest_bytes;  // beside raw ones, in all of them
  const char* name;

  static const PayloadField kSingular;  // Payload.raw, of a Relayout
  static const PayloadField kRepeated;  // Payload.raw, of a Compute
  static const PayloadField kChunk;     // Chunk.data, of a ComputeStream
};
inline constexpr PayloadField PayloadField::kSingular = {
    15, 1, false, kMaxListBytes, "payload"};
inline constexpr PayloadField PayloadField::kRepeated = {
    15, 1, true, kMaxListBytes, "payloads"};
inline constexpr PayloadField PayloadField::kChunk = {
    2, 15, false, int64_t{64} << 10, "operand"};

struct SplitPayload {
  SegmentedBytes raw;
  std::string rest;  // the serialized sub-message without its bytes
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

// Below this mean size of its slices a received message is copied into one
// first: a caller that sends frames of a few bytes would otherwise buy an entry
// of a hundred bytes, and later a look-up, with each. Frames of ordinary
// clients are 16 KiB and more, and copying 4 KiB costs about what the look-ups
// would.
inline constexpr int64_t kMinMeanSegmentBytes = 4096;

// Copies a message of many such slices into one, and lets go of them. Errors:
// kResourceExhausted if memory is not to be had.
absl::Status JoinTinySlices(grpc::ByteBuffer& message);

// Errors: kInvalidArgument with field "request" or that of the payloads;
// kResourceExhausted if more than kMaxHeadBytes are no payload.
absl::StatusOr<SplitMessage> Split(const grpc::ByteBuffer& message,
                                   const PayloadField& payload_field);

// The bytes of a message that should be small. Errors: kResourceExhausted if it
// has more than kMaxHeadBytes.
absl::StatusOr<std::string> CopySmall(const grpc::ByteBuffer& message);

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_MESSAGE_SPLIT_H_
