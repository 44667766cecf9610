// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/call_memory.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace stridecast {
namespace {

// Members are destroyed last to first.
struct SliceOwner {
  std::shared_ptr<const void> keeper;
  PooledBuffer buffer;
};

}  // namespace

absl::StatusOr<PooledBuffer> TakeBuffer(BufferPool& pool, int64_t size_bytes) {
  PooledBuffer buffer = pool.Take(size_bytes);
  if (!buffer) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a buffer of ", size_bytes, " bytes"));
  }
  return buffer;
}

grpc::Slice ToSlice(PooledBuffer buffer, std::shared_ptr<const void> keeper) {
  auto* owner = new SliceOwner{std::move(keeper), std::move(buffer)};
  return grpc::Slice(
      owner->buffer.data(), static_cast<size_t>(owner->buffer.size_bytes()),
      [](void* user_data) { delete static_cast<SliceOwner*>(user_data); },
      owner);
}

}  // namespace stridecast
