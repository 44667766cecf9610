// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/message_lease.h"

namespace stridecast {
namespace {

void ReturnSlice(void* in_use) {
  static_cast<absl::BlockingCounter*>(in_use)->DecrementCount();
}

}  // namespace

MessageLease::MessageLease(grpc::ByteBuffer message) {
  // Dump adds references; it fails for a compressed message only.
  (void)message.Dump(&owned_);
  in_use_ =
      std::make_unique<absl::BlockingCounter>(static_cast<int>(owned_.size()));
  std::vector<grpc::Slice> lent;
  lent.reserve(owned_.size());
  for (const grpc::Slice& slice : owned_) {
    lent.emplace_back(const_cast<uint8_t*>(slice.begin()), slice.size(),
                      &ReturnSlice, in_use_.get());
  }
  lent_ = grpc::ByteBuffer(lent.data(), lent.size());
}

void MessageLease::Wait() {
  if (in_use_ == nullptr) return;
  lent_.Clear();
  in_use_->Wait();
  in_use_.reset();
}

}  // namespace stridecast
