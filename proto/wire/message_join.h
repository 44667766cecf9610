// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A message to send, as slices: small fields as protobuf serialized them, the
// tags and lengths of payloads written here, raw payloads as the slices they
// come in.
// Rule: byte for byte what protobuf would write of the whole message. This
// holds because payloads have the greatest number in their messages.

#ifndef STRIDECAST_PROTO_WIRE_MESSAGE_JOIN_H_
#define STRIDECAST_PROTO_WIRE_MESSAGE_JOIN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "stridecast/v1/tensor.pb.h"

namespace stridecast {

class MessageJoiner {
 public:
  // `head` is the serialized message without payloads.
  explicit MessageJoiner(std::string head) : pending_(std::move(head)) {}

  // Adds a payload whose `raw` is all pieces in a row.
  void AddRaw(absl::Span<const grpc::Slice> pieces);
  // Adds sub-message `number`: `rest`, serialized, and all pieces in a row as
  // its field `raw_number`, the greatest.
  void Add(int number, absl::string_view rest, int raw_number,
           absl::Span<const grpc::Slice> pieces);
  // Adds a payload that is copied; for typed lists.
  void AddLists(const v1::Payload& lists);

  grpc::ByteBuffer Join();

 private:
  void Flush();

  std::string pending_;  // bytes that no slice holds yet
  std::vector<grpc::Slice> slices_;
};

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_MESSAGE_JOIN_H_
