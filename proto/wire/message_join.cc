// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/message_join.h"

#include "proto/wire/message_split.h"

namespace stridecast {
namespace {

constexpr int kPayloadNumber = PayloadField::kRepeated.number;

void AppendVarint(uint64_t number, std::string& bytes) {
  while (number >= 0x80) {
    bytes.push_back(static_cast<char>(number | 0x80));
    number >>= 7;
  }
  bytes.push_back(static_cast<char>(number));
}

// Of a field with a length.
void AppendTag(int number, std::string& bytes) {
  AppendVarint(static_cast<uint64_t>(number) << 3 | 2, bytes);
}

}  // namespace

void MessageJoiner::AddRaw(absl::Span<const grpc::Slice> pieces) {
  Add(kPayloadNumber, "", PayloadField::kRepeated.raw_number, pieces);
}

void MessageJoiner::Add(int number, absl::string_view rest, int raw_number,
                        absl::Span<const grpc::Slice> pieces) {
  uint64_t num_bytes = 0;
  for (const grpc::Slice& piece : pieces) num_bytes += piece.size();
  std::string header(rest);
  if (num_bytes > 0) {  // else the field is empty and therefore not written
    AppendTag(raw_number, header);
    AppendVarint(num_bytes, header);
  }
  AppendTag(number, pending_);
  AppendVarint(header.size() + num_bytes, pending_);
  pending_ += header;
  if (num_bytes == 0) return;
  Flush();
  slices_.insert(slices_.end(), pieces.begin(), pieces.end());
}

void MessageJoiner::AddLists(const v1::Payload& lists) {
  AppendTag(kPayloadNumber, pending_);
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
