// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/message_join.h"

#include "proto/wire/message_split.h"

namespace stridecast {
namespace {

constexpr char kPayloadTag = kPayloadNumber << 3 | 2;
constexpr char kRawTag = 1 << 3 | 2;

void AppendVarint(uint64_t number, std::string& bytes) {
  while (number >= 0x80) {
    bytes.push_back(static_cast<char>(number | 0x80));
    number >>= 7;
  }
  bytes.push_back(static_cast<char>(number));
}

}  // namespace

void MessageJoiner::AddRaw(absl::Span<const grpc::Slice> pieces) {
  uint64_t num_bytes = 0;
  for (const grpc::Slice& piece : pieces) num_bytes += piece.size();
  pending_.push_back(kPayloadTag);
  if (num_bytes == 0) {  // `raw` is empty and therefore not written
    pending_.push_back(0);
    return;
  }
  std::string raw_header(1, kRawTag);
  AppendVarint(num_bytes, raw_header);
  AppendVarint(raw_header.size() + num_bytes, pending_);
  pending_ += raw_header;
  Flush();
  slices_.insert(slices_.end(), pieces.begin(), pieces.end());
}

void MessageJoiner::AddLists(const v1::Payload& lists) {
  pending_.push_back(kPayloadTag);
  AppendVarint(lists.ByteSizeLong(), pending_);
  lists.AppendToString(&pending_);
}

grpc::ByteBuffer MessageJoiner::Join() {
  Flush();
  return grpc::ByteBuffer(slices_.data(), slices_.size());
}

void MessageJoiner::Flush() {
  if (pending_.empty()) return;
  slices_.emplace_back(pending_);
  pending_.clear();
}

}  // namespace stridecast
