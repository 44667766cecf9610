// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/message_lease.h"

#include <utility>
#include <vector>

#include "grpcpp/support/slice.h"

namespace stridecast {
namespace {

struct LentSlice {
  grpc::Slice slice;
  std::shared_ptr<std::atomic<int64_t>> in_use;
};

void Return(void* user_data) {
  const std::unique_ptr<LentSlice> lent(static_cast<LentSlice*>(user_data));
  const auto in_use = std::move(lent->in_use);
  lent->slice = grpc::Slice();
  in_use->fetch_sub(1, std::memory_order_release);
}

}  // namespace

MessageLease::MessageLease(const grpc::ByteBuffer& message)
    : in_use_(std::make_shared<std::atomic<int64_t>>(0)) {
  std::vector<grpc::Slice> slices;
  // Adds references; fails for a compressed message only.
  (void)message.Dump(&slices);
  std::vector<grpc::Slice> lent;
  lent.reserve(slices.size());
  in_use_->store(static_cast<int64_t>(slices.size()),
                 std::memory_order_relaxed);
  for (grpc::Slice& slice : slices) {
    auto* owner = new LentSlice{std::move(slice), in_use_};
    lent.emplace_back(const_cast<uint8_t*>(owner->slice.begin()),
                      owner->slice.size(), &Return, owner);
  }
  lent_ = grpc::ByteBuffer(lent.data(), lent.size());
}

}  // namespace stridecast
