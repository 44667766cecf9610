// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_TESTS_SERVICE_UNSENT_CALL_H_
#define STRIDECAST_TESTS_SERVICE_UNSENT_CALL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "proto/wire/request_codec.h"
#include "tests/service/service_testing.h"

namespace stridecast::testing {

inline constexpr char kComputePath[] = "/stridecast.v1.TensorCompute/Compute";

// A call that does not send its message, unless it is told to, but may state
// its bytes.
class UnsentCall {
 public:
  UnsentCall(TestServer& server, std::optional<int64_t> bytes)
      : UnsentCall(server.channel(), bytes) {}
  UnsentCall(const std::shared_ptr<grpc::Channel>& channel,
             std::optional<int64_t> bytes,
             const std::string& path = kComputePath,
             std::optional<double> deadline_seconds = 60)
      : stub_(channel) {
    if (deadline_seconds) {
      context_.set_deadline(SecondsFromNow(*deadline_seconds));
    }
    if (bytes) context_.AddMetadata(kRequestBytesKey, absl::StrCat(*bytes));
    call_ = stub_.PrepareCall(&context_, path, &queue_);
    call_->StartCall(nullptr);
    Wait();
  }
  ~UnsentCall() {
    context_.TryCancel();
    End();
  }

  // Whether the call lives.
  bool Send(const grpc::ByteBuffer& message) {
    call_->Write(message, nullptr);
    return Wait();
  }
  // Nothing more will be sent.
  void HalfClose() {
    call_->WritesDone(nullptr);
    Wait();
  }
  bool Receive() {
    grpc::ByteBuffer reply;
    call_->Read(&reply, nullptr);
    return Wait();
  }
  // What the server says of it.
  const grpc::Status& End() {
    if (!has_ended_) {
      call_->Finish(&status_, nullptr);
      Wait();
      has_ended_ = true;
    }
    return status_;
  }

 private:
  bool Wait() {
    void* tag;
    bool ok = false;
    EXPECT_TRUE(queue_.Next(&tag, &ok));
    return ok;
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::Status status_;
  bool has_ended_ = false;
};

using UnsentCalls = std::vector<std::unique_ptr<UnsentCall>>;

// So many, that state nothing.
inline UnsentCalls UnsentOn(const std::shared_ptr<grpc::Channel>& channel,
                            int count, const std::string& path = kComputePath) {
  UnsentCalls calls;
  for (int i = 0; i < count; ++i) {
    calls.push_back(std::make_unique<UnsentCall>(channel, std::nullopt, path));
  }
  return calls;
}

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SERVICE_UNSENT_CALL_H_
