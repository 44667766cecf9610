// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/message_split.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

using google::protobuf::io::CodedInputStream;

// Wire types, the low three bits of a tag.
constexpr uint32_t kVarint = 0;
constexpr uint32_t kFixed64 = 1;
constexpr uint32_t kLengthDelimited = 2;
constexpr uint32_t kFixed32 = 5;

uint32_t TagOf(int number) {
  return static_cast<uint32_t>(number) << 3 | kLengthDelimited;
}

absl::Status Malformed(int position) {
  return FieldError("request", "not a valid message, malformed at byte ",
                    position);
}

// Reads past the value that follows `tag`. Groups, which proto3 does not have,
// count as malformed.
bool SkipValue(CodedInputStream& input, uint32_t tag) {
  uint64_t number;
  int length;
  switch (tag & 7) {
    case kVarint:
      return input.ReadVarint64(&number);
    case kFixed64:
      return input.Skip(8);
    case kLengthDelimited:
      return input.ReadVarintSizeAsInt(&length) && input.Skip(length);
    case kFixed32:
      return input.Skip(4);
    default:
      return false;
  }
}

class Splitter {
 public:
  Splitter(CodedInputStream& input, const SegmentedBytes& bytes,
           const PayloadField& payload_field)
      : input_(input), bytes_(bytes), payload_field_(payload_field) {}

  absl::Status ReadMessage(SplitMessage& message) {
    for (;;) {
      const int begin = input_.CurrentPosition();
      const uint32_t tag = input_.ReadTag();
      if (tag == 0) break;
      if (tag == TagOf(payload_field_.number)) {
        RETURN_IF_ERROR(ReadPayload(NextPayload(message)));
        if (static_cast<int64_t>(message.payloads.size()) > kMaxPayloads) {
          return FieldError("payloads", "more than ", kMaxPayloads);
        }
        continue;
      }
      if (!SkipValue(input_, tag)) return Malformed(begin);
      AppendSince(begin, message.head);
      if (static_cast<int64_t>(message.head.size()) > kMaxHeadBytes) {
        return absl::ResourceExhaustedError(
            absl::StrCat("request: more than ", kMaxHeadBytes,
                         " bytes beside payloads, at byte ", begin));
      }
    }
    if (!input_.ConsumedEntireMessage()) {
      return Malformed(input_.CurrentPosition());
    }
    return absl::OkStatus();
  }

 private:
  SplitPayload& NextPayload(SplitMessage& message) const {
    if (payload_field_.is_repeated || message.payloads.empty()) {
      message.payloads.emplace_back();
    }
    return message.payloads.back();
  }

  absl::Status ReadPayload(SplitPayload& payload) {
    const int payload_begin = input_.CurrentPosition();
    int length;
    if (!input_.ReadVarintSizeAsInt(&length) ||
        length > input_.BytesUntilLimit()) {
      return Malformed(payload_begin);
    }
    const CodedInputStream::Limit limit = input_.PushLimit(length);
    for (;;) {
      const int begin = input_.CurrentPosition();
      const uint32_t tag = input_.ReadTag();
      if (tag == 0) break;
      if (tag == TagOf(payload_field_.raw_number)) {
        int raw_bytes;
        if (!input_.ReadVarintSizeAsInt(&raw_bytes)) return Malformed(begin);
        const int raw_begin = input_.CurrentPosition();
        if (!input_.Skip(raw_bytes)) return Malformed(begin);
        payload.raw = bytes_.View(raw_begin, raw_bytes);
        continue;
      }
      if (!SkipValue(input_, tag)) return Malformed(begin);
      AppendSince(begin, payload.rest);
      list_bytes_ += input_.CurrentPosition() - begin;
      if (list_bytes_ > payload_field_.max_rest_bytes) {
        return FieldError(payload_field_.name, "more than ",
                          payload_field_.max_rest_bytes,
                          " bytes beside the raw ones");
      }
    }
    if (!input_.ConsumedEntireMessage()) {
      return Malformed(input_.CurrentPosition());
    }
    input_.PopLimit(limit);
    return absl::OkStatus();
  }

  // Appends what was read since position `begin`.
  void AppendSince(int begin, std::string& text) const {
    const int64_t count = input_.CurrentPosition() - begin;
    const size_t old_size = text.size();
    text.resize(old_size + static_cast<size_t>(count));
    bytes_.CopyTo(begin, count,
                  reinterpret_cast<std::byte*>(text.data()) + old_size);
  }

  CodedInputStream& input_;
  const SegmentedBytes& bytes_;
  const PayloadField& payload_field_;
  int64_t list_bytes_ = 0;
};

}  // namespace

absl::Status JoinTinySlices(grpc::ByteBuffer& message) {
  // Few do no harm.
  constexpr int64_t kFew = 16;
  if (!message.Valid()) return absl::OkStatus();
  int64_t count = 0;
  {
    grpc::ProtoBufferReader reader(&message);
    const void* data;
    int size;
    while (reader.Next(&data, &size)) ++count;
  }
  const auto length = static_cast<int64_t>(message.Length());
  if (count <= kFew || length / count >= kMinMeanSegmentBytes) {
    return absl::OkStatus();
  }
  grpc::Slice whole;
  if (!message.DumpToSingleSlice(&whole).ok()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a message of ", length, " bytes"));
  }
  grpc::ByteBuffer joined(&whole, 1);
  message.Swap(&joined);
  return absl::OkStatus();
}

absl::StatusOr<SplitMessage> Split(const grpc::ByteBuffer& message,
                                   const PayloadField& payload_field) {
  SplitMessage parts;
  parts.storage = std::make_shared<MessageStorage>();
  grpc::ByteBuffer shared = message;  // for a reader without const
  if (!shared.Valid()) return parts;  // gRPC's form of no bytes
  // Positions in a CodedInputStream are int.
  if (shared.Length() > std::numeric_limits<int>::max()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("request: ", shared.Length(), " bytes; the limit is ",
                     std::numeric_limits<int>::max()));
  }
  if (!shared.Dump(&parts.storage->slices).ok()) return Malformed(0);
  SegmentedBytes bytes;
  for (const grpc::Slice& slice : parts.storage->slices) {
    bytes.Append(reinterpret_cast<const std::byte*>(slice.begin()),
                 static_cast<int64_t>(slice.size()));
  }
  grpc::ProtoBufferReader reader(&shared);
  CodedInputStream input(&reader);
  input.PushLimit(static_cast<int>(bytes.size_bytes()));
  RETURN_IF_ERROR(Splitter(input, bytes, payload_field).ReadMessage(parts));
  return parts;
}

absl::StatusOr<std::string> CopySmall(const grpc::ByteBuffer& message) {
  std::string bytes;
  if (!message.Valid()) return bytes;
  if (static_cast<int64_t>(message.Length()) > kMaxHeadBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "request: ", message.Length(), " bytes; the limit is ", kMaxHeadBytes));
  }
  std::vector<grpc::Slice> slices;
  if (!message.Dump(&slices).ok()) return Malformed(0);
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

}  // namespace stridecast
