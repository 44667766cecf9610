// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_TESTS_SERVICE_BACKGROUND_CALL_H_
#define STRIDECAST_TESTS_SERVICE_BACKGROUND_CALL_H_

#include <memory>
#include <thread>

#include "absl/status/status.h"
#include "proto/wire/status_codec.h"
#include "tests/service/service_testing.h"

namespace stridecast::testing {

// A Compute that runs beside the test.
class BackgroundCall {
 public:
  BackgroundCall(TestServer& server, const v1::ComputeRequest& request,
                 double deadline_seconds = 0)
      : stub_(v1::TensorCompute::NewStub(server.channel())) {
    if (deadline_seconds > 0) {
      context_.set_deadline(SecondsFromNow(deadline_seconds));
    }
    thread_ = std::thread([this, request] {
      status_ = stub_->Compute(&context_, request, &response_);
    });
  }
  ~BackgroundCall() {
    if (thread_.joinable()) thread_.join();
  }

  void Cancel() { context_.TryCancel(); }
  absl::Status Wait() {
    thread_.join();
    return FromGrpcStatus(status_);
  }
  const v1::ComputeResponse& response() const { return response_; }

 private:
  const std::unique_ptr<v1::TensorCompute::Stub> stub_;
  grpc::ClientContext context_;
  v1::ComputeResponse response_;
  grpc::Status status_;
  std::thread thread_;
};

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SERVICE_BACKGROUND_CALL_H_
