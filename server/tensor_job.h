// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A Compute or Relayout that is decoded, planned and admitted: all that may
// still go wrong is that memory is missing or that nobody waits any more.
//   in   payloads as received, in segments
//   out  a reply whose payloads are the buffers that Plan::Run wrote

#ifndef STRIDECAST_SERVER_TENSOR_JOB_H_
#define STRIDECAST_SERVER_TENSOR_JOB_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/engine/engine.h"
#include "core/exec/buffer_pool.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/request_codec.h"
#include "server/admission.h"
#include "server/call_memory.h"
#include "server/plan_cache.h"
#include "stridecast/segments.h"

namespace stridecast {

class TensorJob {
 public:
  // Of a request that has passed CheckTypedResults. Resizes `reservation` to
  // the bytes of the request and all that Run takes, and keeps that part.
  // Errors: kResourceExhausted.
  static absl::StatusOr<TensorJob> Create(PlanCache::Value planned,
                                          RequestBody body,
                                          std::shared_ptr<CallMemory> memory,
                                          int64_t request_bytes,
                                          Reservation& reservation);

  // Of all that Run does: copies and lists too.
  double cost_ns() const { return cost_ns_; }

  // Once. Errors: kCancelled, kResourceExhausted if memory is not to be had.
  absl::StatusOr<grpc::ByteBuffer> Run(CancelToken cancel);

 private:
  TensorJob() = default;

  const Plan& plan() const { return *planned_->plan; }
  absl::Status Gather();
  absl::StatusOr<std::vector<grpc::Slice>> Compute(CancelToken cancel);

  std::shared_ptr<CallMemory> memory_;
  PlanCache::Value planned_;
  RequestBody body_;
  double cost_ns_ = 0;
  Reservation reservation_;
  std::vector<PooledBuffer> gathered_;  // operands that had to be one piece
};

// Bytes that a call of that plan holds at most: operands as received, copies of
// those that have to be one piece, results, scratch. Saturates.
int64_t AdmittedBytes(const Plan& plan);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_TENSOR_JOB_H_
