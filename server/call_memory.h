// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What calls take memory from. Shared, because the slices of a reply live until
// the transport, or a client in the same process, lets go of them: that may be
// after the server is gone.

#ifndef STRIDECAST_SERVER_CALL_MEMORY_H_
#define STRIDECAST_SERVER_CALL_MEMORY_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/exec/buffer_pool.h"
#include "grpcpp/support/slice.h"
#include "server/admission.h"

namespace stridecast {

struct CallMemory {
  CallMemory(int64_t max_inflight_bytes, int64_t max_idle_bytes)
      : budget(max_inflight_bytes), pool(max_idle_bytes) {}

  ByteBudget budget;
  RunBytesForecast forecast;
  BufferPool pool;
};

// What slices that gRPC still holds keep alive.
struct SliceKeeper {
  std::shared_ptr<CallMemory> memory;
  Reservation reservation;
};

// Errors: kResourceExhausted if memory is not to be had.
absl::StatusOr<PooledBuffer> TakeBuffer(BufferPool& pool, int64_t size_bytes);

// The whole of `buffer` as a slice, uncopied. When the last reference to the
// slice is gone the buffer goes back, then `keeper`, which keeps the pool alive
// and what else is to live as long.
grpc::Slice ToSlice(PooledBuffer buffer, std::shared_ptr<const void> keeper);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_CALL_MEMORY_H_
