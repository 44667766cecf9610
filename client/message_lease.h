// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Lends a message that views the caller's memory to gRPC, and knows when gRPC
// is done with it. The end of a call alone does not say so: when a call fails
// while its message is being written, the transport still holds slices of it.
// Rule: once TryEnd() is true nobody reads the memory that the message viewed.

#ifndef STRIDECAST_CLIENT_MESSAGE_LEASE_H_
#define STRIDECAST_CLIENT_MESSAGE_LEASE_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "grpcpp/support/byte_buffer.h"

namespace stridecast {

class MessageLease {
 public:
  explicit MessageLease(const grpc::ByteBuffer& message);
  MessageLease(const MessageLease&) = delete;
  MessageLease& operator=(const MessageLease&) = delete;

  // The same bytes, in slices whose last reference is noticed.
  const grpc::ByteBuffer& message() const { return lent_; }

  // Takes the message back: message() is empty from here on. True if all copies
  // made of it, whole or in part, are gone.
  bool TryEnd() {
    lent_.Clear();
    return in_use_->load(std::memory_order_acquire) == 0;
  }

 private:
  // Shared with the slices, which may outlive the lease.
  std::shared_ptr<std::atomic<int64_t>> in_use_;
  grpc::ByteBuffer lent_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_MESSAGE_LEASE_H_
