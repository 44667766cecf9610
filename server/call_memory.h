// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What calls take memory from. Shared, because the slices of a reply live until
// the transport, or a client in the same process, lets go of them: that may be
// after the server is gone.

#ifndef STRIDECAST_SERVER_CALL_MEMORY_H_
#define STRIDECAST_SERVER_CALL_MEMORY_H_

#include <cstdint>
#include <memory>

#include "core/exec/buffer_pool.h"
#include "grpcpp/support/slice.h"
#include "server/admission.h"

namespace stridecast {

struct CallMemory {
  // Idle buffers are on top of the bytes in flight; an eighth is room for the
  // results of the next calls and still small beside the budget.
  explicit CallMemory(int64_t max_inflight_bytes)
      : budget(max_inflight_bytes), pool(max_inflight_bytes / 8) {}

  ByteBudget budget;
  BufferPool pool;
};

// The whole of `buffer` as a slice, uncopied. Buffer and reservation go back
// when the last reference to the slice is gone.
grpc::Slice ToSlice(std::shared_ptr<CallMemory> memory, PooledBuffer buffer,
                    Reservation reservation);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_CALL_MEMORY_H_
