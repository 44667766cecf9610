// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/payload_list.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/payload_codec.h"
#include "proto/wire/unknown_fields.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// One payload, whose path is `path`: as a view of what was received, or of what
// `storage` keeps.
absl::StatusOr<PayloadKind> DecodePayload(const std::string& path,
                                          const TensorDesc& desc,
                                          const SplitPayload& payload,
                                          UnknownFields unknown,
                                          int64_t& typed_elements_left,
                                          MessageStorage& storage,
                                          SegmentedBytes& view) {
  const std::string prefix = absl::StrCat(path, ".");
  v1::Payload lists;
  if (!lists.ParseFromString(payload.rest)) {
    return FieldError(path, "the bytes are no ",
                      lists.GetDescriptor()->full_name());
  }
  if (unknown == UnknownFields::kReject) {
    RETURN_IF_ERROR(PrefixField(prefix, CheckNoUnknownFields(lists)));
  }
  const auto kind =
      CheckPayload(desc, payload.raw.size_bytes(), lists, typed_elements_left);
  if (!kind.ok()) return PrefixField(prefix, kind.status());
  view = payload.raw;
  if (*kind == PayloadKind::kTyped) {
    const int64_t size_bytes = desc.size_bytes();
    auto bytes = std::make_unique<std::byte[]>(static_cast<size_t>(size_bytes));
    RETURN_IF_ERROR(PrefixField(prefix, ListToBytes(desc, lists, bytes.get())));
    view = SegmentedBytes(bytes.get(), size_bytes);
    storage.from_lists.push_back(std::move(bytes));
  }
  return kind;
}

}  // namespace

absl::StatusOr<DecodedPayloads> DecodePayloads(
    absl::Span<const TensorDesc> descs, const PayloadField& field,
    UnknownFields unknown, int64_t typed_elements_left, SplitMessage& parts) {
  if (!field.is_repeated) {
    parts.payloads.resize(1);  // one that is absent has 0 bytes
  } else if (parts.payloads.size() != descs.size()) {
    return FieldError("payloads", parts.payloads.size(), " payloads for ",
                      descs.size(), " tensors");
  }
  DecodedPayloads decoded;
  decoded.views.resize(descs.size());
  bool any_raw = false;
  for (size_t i = 0; i < descs.size(); ++i) {
    const std::string path =
        !field.is_repeated ? "payload" : absl::StrCat("payloads[", i, "]");
    ASSIGN_OR_RETURN(
        const PayloadKind kind,
        DecodePayload(path, descs[i], parts.payloads[i], unknown,
                      typed_elements_left, *parts.storage, decoded.views[i]));
    decoded.all_typed |= kind == PayloadKind::kTyped;
    any_raw |= kind == PayloadKind::kRaw;
  }
  decoded.all_typed &= !any_raw;
  return decoded;
}

bool FitsTypedList(const TensorDesc& desc) {
  return desc.layout().num_slots() <= kMaxTypedElements;
}

void AddTypedPayload(const TensorDesc& desc, const SegmentedBytes& bytes,
                     MessageJoiner& joiner) {
  if (bytes.IsOnePiece()) {
    joiner.AddLists(BytesToList(desc, bytes.data()));
    return;
  }
  const auto gathered =
      std::make_unique<std::byte[]>(static_cast<size_t>(bytes.size_bytes()));
  bytes.CopyTo(0, bytes.size_bytes(), gathered.get());
  joiner.AddLists(BytesToList(desc, gathered.get()));
}

}  // namespace stridecast
