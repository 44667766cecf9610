// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A ComputeStream for tests, event by event.

#ifndef STRIDECAST_TESTS_SERVICE_STREAM_TESTING_H_
#define STRIDECAST_TESTS_SERVICE_STREAM_TESTING_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "grpcpp/client_context.h"
#include "grpcpp/support/sync_stream.h"
#include "gtest/gtest.h"
#include "stridecast/v1/service.grpc.pb.h"
#include "tests/service/service_testing.h"

namespace stridecast::testing {

inline constexpr int64_t kMiB = int64_t{1} << 20;

// A stream that is driven event by event.
class Stream {
 public:
  explicit Stream(TestServer& server)
      : stream_(server.stub().ComputeStream(&context_)) {}

  bool Begin(const v1::ComputeSpec& spec) {
    v1::ComputeStreamRequest request;
    *request.mutable_begin() = spec;
    return stream_->Write(request);
  }
  bool Begin(const char* spec) {
    return Begin(FromText<v1::ComputeSpec>(spec));
  }

  bool Send(uint32_t index, int64_t offset, std::string data) {
    v1::ComputeStreamRequest request;
    request.mutable_operand()->set_index(index);
    request.mutable_operand()->set_offset(offset);
    *request.mutable_operand()->mutable_data() = std::move(data);
    return stream_->Write(request);
  }
  bool Write(const v1::ComputeStreamRequest& request) {
    return stream_->Write(request);
  }
  void HalfClose() { stream_->WritesDone(); }

  // False at the end of the stream.
  bool Read(v1::ComputeStreamResponse& response) {
    return stream_->Read(&response);
  }
  v1::Plan ReadReady() {
    v1::ComputeStreamResponse response;
    EXPECT_TRUE(Read(response));
    EXPECT_TRUE(response.has_ready());
    return response.ready();
  }
  // Reads to the end. The results' bytes, by index.
  std::map<uint32_t, std::string> ReadResults() {
    std::map<uint32_t, std::string> results;
    v1::ComputeStreamResponse response;
    while (Read(response)) {
      if (!response.has_result()) continue;
      std::string& bytes = results[response.result().index()];
      EXPECT_EQ(response.result().offset(), static_cast<int64_t>(bytes.size()));
      EXPECT_LE(response.result().data().size(), size_t{1} << 20);
      bytes += response.result().data();
    }
    return results;
  }
  // After everything was read.
  grpc::Status Finish() { return stream_->Finish(); }
  // Reads what is left and gives the status.
  grpc::Status End() {
    v1::ComputeStreamResponse response;
    while (Read(response)) {
    }
    return Finish();
  }
  void Cancel() { context_.TryCancel(); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ComputeStreamRequest,
                                           v1::ComputeStreamResponse>>
      stream_;
};

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SERVICE_STREAM_TESTING_H_
