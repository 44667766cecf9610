// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What tests of the program stridecast-server share: how it is started, called,
// and asked whether it serves.

#ifndef STRIDECAST_TESTS_E2E_SERVER_PROGRAM_H_
#define STRIDECAST_TESTS_E2E_SERVER_PROGRAM_H_

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "gtest/gtest.h"
#include "stridecast/v1/service.grpc.pb.h"

namespace stridecast::testing {

inline constexpr char kProgram[] = STRIDECAST_SERVER_PROGRAM;

inline std::unique_ptr<v1::TensorCompute::Stub> StubOf(
    const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return v1::TensorCompute::NewStub(grpc::CreateCustomChannel(
      address, grpc::InsecureChannelCredentials(), arguments));
}

// Not that of channels with equal arguments, as gRPC has it.
inline std::shared_ptr<grpc::Channel> NewConnection(
    const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                                   arguments);
}

// A unary call of any method, "/package.Service/Method".
inline grpc::Status CallOf(const std::string& address, const std::string& path,
                           const std::string& request) {
  grpc::GenericStub stub(
      grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  const grpc::Slice slice(request);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(60));
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareUnaryCall(&context, path,
                                          grpc::ByteBuffer(&slice, 1), &queue);
  call->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->Finish(&reply, &status, nullptr);
  void* tag;
  bool ok;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  return status;
}

inline grpc::Status Compute(const std::string& address,
                            const v1::ComputeRequest& request,
                            v1::ComputeResponse* response) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(60));
  return StubOf(address)->Compute(&context, request, response);
}

inline v1::ComputeRequest FromText(const std::string& text) {
  v1::ComputeRequest request;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request));
  return request;
}

inline v1::ComputeRequest SmallRequest() {
  return FromText(R"(
    spec { operands { type: F32 dimensions: 2 }
           instructions { opcode: ADD operands: [0, 0] } results {} }
    payloads { floats: [12345.5, -2] })");
}

inline bool Serves(const std::string& address) {
  v1::ComputeResponse response;
  const grpc::Status status = Compute(address, SmallRequest(), &response);
  return status.ok() && response.payloads(0).floats(0) == 24691;
}

inline std::vector<std::string> Flags(std::vector<std::string> more = {}) {
  std::vector<std::string> flags = {"--listen=127.0.0.1:0",
                                    "--drain-delay-seconds=0"};
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

// In a folder that goes away with the tests; short enough for a socket.
inline std::string SocketPath(const std::string& name) {
  static const struct Folder {
    Folder() { EXPECT_NE(mkdtemp(path.data()), nullptr); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path = absl::StrCat(::testing::TempDir(), "stridecast_XXXXXX");
  } folder;
  const std::string path = absl::StrCat(folder.path, "/", name, ".sock");
  unlink(path.c_str());
  return path;
}

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_E2E_SERVER_PROGRAM_H_
