// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/wire/split_check.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/message_split.h"
#include "proto/wire/unknown_fields.h"
#include "stridecast/v1/service.pb.h"

namespace stridecast::testing {
namespace {

grpc::ByteBuffer InSlices(absl::string_view bytes, size_t slice_bytes) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < bytes.size(); at += slice_bytes) {
    slices.emplace_back(std::string(bytes.substr(at, slice_bytes)));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

bool MergeParts(const SplitPayload& parts, v1::Payload& payload) {
  if (!payload.ParseFromString(parts.rest)) return false;
  std::string raw(static_cast<size_t>(parts.raw.size_bytes()), '\0');
  parts.raw.CopyTo(0, parts.raw.size_bytes(),
                   reinterpret_cast<std::byte*>(raw.data()));
  payload.set_raw(raw);
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

template <class Message>
std::string Check(absl::string_view bytes, size_t slice_bytes,
                  const PayloadField& field) {
  Message whole;
  const bool is_message = whole.ParseFromString(std::string(bytes));
  const auto parts = Split(InSlices(bytes, slice_bytes), field);
  if (!parts.ok()) {
    // Groups are unknown fields to protobuf; other limits are Split's own.
    const bool may_refuse =
        !is_message || !CheckNoUnknownFields(whole).ok() ||
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
  if (is_message && rejoined.SerializeAsString() != whole.SerializeAsString()) {
    return absl::StrCat("made ", rejoined.ShortDebugString(), " of ",
                        whole.ShortDebugString());
  }
  return "";
}

}  // namespace

std::string CheckSplit(absl::string_view bytes, size_t slice_bytes,
                       bool repeated) {
  return repeated ? Check<v1::ComputeRequest>(bytes, slice_bytes,
                                              PayloadField::kRepeated)
                  : Check<v1::RelayoutRequest>(bytes, slice_bytes,
                                               PayloadField::kSingular);
}

}  // namespace stridecast::testing
