// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/call_memory.h"

#include <utility>

namespace stridecast {
namespace {

// Members are destroyed last to first: `memory` outlives what came from it.
struct SliceOwner {
  std::shared_ptr<CallMemory> memory;
  Reservation reservation;
  PooledBuffer buffer;
};

}  // namespace

grpc::Slice ToSlice(std::shared_ptr<CallMemory> memory, PooledBuffer buffer,
                    Reservation reservation) {
  auto* owner = new SliceOwner{std::move(memory), std::move(reservation),
                               std::move(buffer)};
  return grpc::Slice(
      owner->buffer.data(), static_cast<size_t>(owner->buffer.size_bytes()),
      [](void* user_data) { delete static_cast<SliceOwner*>(user_data); },
      owner);
}

}  // namespace stridecast
