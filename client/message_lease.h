// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Lends a message that views the caller's memory to gRPC, and knows when gRPC
// is done with it. The end of a call alone does not say so: when a call fails
// while its message is being written, the transport still holds slices of it.
// Rule: after Wait() nobody reads the memory that the message viewed.

#ifndef STRIDECAST_CLIENT_MESSAGE_LEASE_H_
#define STRIDECAST_CLIENT_MESSAGE_LEASE_H_

#include <memory>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"

namespace stridecast {

class MessageLease {
 public:
  explicit MessageLease(grpc::ByteBuffer message);
  ~MessageLease() { Wait(); }

  MessageLease(const MessageLease&) = delete;
  MessageLease& operator=(const MessageLease&) = delete;

  // The same bytes, in slices whose last reference is noticed.
  const grpc::ByteBuffer& message() const { return lent_; }

  // Takes the message back: message() is empty from here on. Blocks until all
  // copies made of it, whole or in part, are gone.
  void Wait();

 private:
  std::vector<grpc::Slice> owned_;
  std::unique_ptr<absl::BlockingCounter> in_use_;  // null after Wait()
  grpc::ByteBuffer lent_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_MESSAGE_LEASE_H_
