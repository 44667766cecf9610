// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/wire/split_check.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/unknown_field_set.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/message_split.h"
#include "proto/wire/payload_codec.h"
#include "proto/wire/spec_codec.h"
#include "proto/wire/stream_codec.h"
#include "proto/wire/unknown_fields.h"
#include "stridecast/v1/service.pb.h"

namespace stridecast::testing {
namespace {

using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

grpc::ByteBuffer InSlices(absl::string_view bytes, size_t slice_bytes) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < bytes.size(); at += slice_bytes) {
    slices.emplace_back(std::string(bytes.substr(at, slice_bytes)));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

std::string ToString(const SegmentedBytes& bytes) {
  std::string text(static_cast<size_t>(bytes.size_bytes()), '\0');
  bytes.CopyTo(0, bytes.size_bytes(),
               reinterpret_cast<std::byte*>(text.data()));
  return text;
}

bool MergeParts(const SplitPayload& parts, v1::Payload& payload) {
  if (!payload.ParseFromString(parts.rest)) return false;
  payload.set_raw(ToString(parts.raw));
  return true;
}

bool MergeParts(const SplitPayload& parts, v1::Chunk& chunk) {
  if (!chunk.ParseFromString(parts.rest)) return false;
  chunk.set_data(ToString(parts.raw));
  return true;
}

bool Rejoin(const SplitMessage& parts, v1::ComputeRequest& message) {
  if (!message.ParseFromString(parts.head)) return false;
  return std::all_of(
      parts.payloads.begin(), parts.payloads.end(),
      [&](const auto& p) { return MergeParts(p, *message.add_payloads()); });
}

bool Rejoin(const SplitMessage& parts, v1::RelayoutRequest& message) {
  if (!message.ParseFromString(parts.head)) return false;
  return parts.payloads.empty() ||
         MergeParts(parts.payloads[0], *message.mutable_payload());
}

bool Rejoin(const SplitMessage& parts, v1::ComputeStreamRequest& message) {
  if (!message.ParseFromString(parts.head)) return false;
  return parts.payloads.empty() ||
         MergeParts(parts.payloads[0], *message.mutable_operand());
}

// Of two events the parts do not say which came last, and that one alone
// stands.
template <class Message>
bool SaysWhatStands(const SplitMessage&) {
  return true;
}
template <>
bool SaysWhatStands<v1::ComputeStreamRequest>(const SplitMessage& parts) {
  v1::ComputeStreamRequest head;
  return parts.payloads.empty() || !head.ParseFromString(parts.head) ||
         !head.has_begin();
}

// Of a valid message: in itself or in one of its sub-messages of that number.
bool HasGroup(absl::string_view bytes, int number) {
  UnknownFieldSet fields;
  fields.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    if (field.type() == UnknownField::TYPE_GROUP) return true;
    if (field.type() == UnknownField::TYPE_LENGTH_DELIMITED &&
        field.number() == number &&
        HasGroup(field.length_delimited(), /*number=*/0)) {
      return true;
    }
  }
  return false;
}

template <class Message>
std::string Check(absl::string_view bytes, size_t slice_bytes,
                  const PayloadField& field) {
  Message whole;
  const bool is_message = whole.ParseFromString(std::string(bytes));
  const auto parts = Split(InSlices(bytes, slice_bytes), field);
  if (!parts.ok()) {
    // Groups are unknown fields to protobuf; other limits are Split's own.
    const bool may_refuse =
        !is_message || HasGroup(bytes, field.number) ||
        !absl::StrContains(parts.status().message(), "malformed");
    return may_refuse ? ""
                      : absl::StrCat("refused: ", parts.status().message());
  }
  Message rejoined;
  const bool is_rejoined = Rejoin(*parts, rejoined);
  if (is_rejoined != is_message) {
    return is_message ? "its parts are no messages"
                      : "accepted, but it is no message";
  }
  if (is_message && SaysWhatStands<Message>(*parts) &&
      rejoined.SerializeAsString() != whole.SerializeAsString()) {
    return absl::StrCat("made ", rejoined.ShortDebugString(), " of ",
                        whole.ShortDebugString());
  }
  return "";
}

}  // namespace

std::string CheckSplit(absl::string_view bytes, size_t slice_bytes,
                       SpecSource source) {
  switch (source) {
    case SpecSource::kCompute:
      return Check<v1::ComputeRequest>(bytes, slice_bytes,
                                       PayloadField::kRepeated);
    case SpecSource::kRelayout:
      return Check<v1::RelayoutRequest>(bytes, slice_bytes,
                                        PayloadField::kSingular);
    case SpecSource::kComputeStream:
      return Check<v1::ComputeStreamRequest>(bytes, slice_bytes,
                                             PayloadField::kChunk);
    default:
      return "its requests are not split";
  }
}

std::string CheckStreamEvent(absl::string_view bytes, size_t slice_bytes) {
  const auto event = DecodeStreamRequest(InSlices(bytes, slice_bytes));
  v1::ComputeStreamRequest whole;
  if (!whole.ParseFromString(std::string(bytes))) {
    return event.ok() ? "accepted, but it is no message" : "";
  }
  if (HasGroup(bytes, PayloadField::kChunk.number)) return "";
  int64_t typed_elements_left = kMaxTypedElements;
  const auto spec = SpecFromProto(whole.begin(), typed_elements_left);
  const bool is_valid =
      CheckNoUnknownFields(whole).ok() &&
      (whole.has_operand() || (whole.has_begin() && spec.ok()));
  if (!event.ok()) {
    // Larger ones are over limits of the codec's own.
    const bool is_small = static_cast<int64_t>(bytes.size()) <=
                          PayloadField::kChunk.max_rest_bytes;
    return is_valid && is_small
               ? absl::StrCat("refused: ", event.status().message())
               : "";
  }
  if (!is_valid) {
    return absl::StrCat("accepted: ", whole.ShortDebugString());
  }
  v1::ComputeStreamRequest decoded;
  if (const auto* begin = std::get_if<DecodedRequest>(&*event)) {
    *decoded.mutable_begin() = SpecToProto(begin->signature, begin->encodings);
  } else {
    const auto& chunk = std::get<StreamChunk>(*event);
    decoded.mutable_operand()->set_index(chunk.index);
    decoded.mutable_operand()->set_offset(chunk.offset);
    decoded.mutable_operand()->set_data(ToString(chunk.data));
  }
  // What a specification leaves open is written out.
  if (whole.has_begin()) {
    *whole.mutable_begin() = SpecToProto(spec->signature, spec->encodings);
  }
  if (decoded.SerializeAsString() == whole.SerializeAsString()) return "";
  return absl::StrCat("made ", decoded.ShortDebugString(), " of ",
                      whole.ShortDebugString());
}

}  // namespace stridecast::testing
