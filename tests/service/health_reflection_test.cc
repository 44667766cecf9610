// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The standard services that tools and orchestrators rely on.

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/message.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "gtest/gtest.h"
#include "tests/service/service_testing.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;

TEST(HealthTest, CheckKnowsFourNames) {
  TestServer server;
  const auto health = grpc::health::v1::Health::NewStub(server.channel());
  for (const char* name :
       {"", "stridecast.v1.TensorCompute", "liveness", "readiness"}) {
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(name);
    grpc::health::v1::HealthCheckResponse response;
    grpc::ClientContext context;
    EXPECT_TRUE(health->Check(&context, request, &response).ok()) << name;
    EXPECT_EQ(response.status(), response.SERVING) << name;
  }
  grpc::health::v1::HealthCheckRequest request;
  request.set_service("unheard.of");
  grpc::health::v1::HealthCheckResponse response;
  grpc::ClientContext context;
  EXPECT_EQ(health->Check(&context, request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

// A watch that its client does not end is cancelled at the drain deadline.
TEST(HealthTest, WatchTellsOfTheDrain) {
  ServerOptions options = TestOptions();
  options.drain_deadline_seconds = 1;
  TestServer server(options);
  const auto health = grpc::health::v1::Health::NewStub(server.channel());
  grpc::health::v1::HealthCheckRequest request;
  request.set_service("readiness");
  grpc::ClientContext context;
  const auto watch = health->Watch(&context, request);
  grpc::health::v1::HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), response.SERVING);
  server.server().Drain();
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), response.NOT_SERVING);
  EXPECT_FALSE(watch->Read(&response));
}

// It ends its watch when the connection says GOAWAY.
TEST(HealthTest, HealthCheckingOfGrpcClientsDoesNotHoldUpTheDrain) {
  ServerOptions options = TestOptions();
  options.drain_deadline_seconds = 600;
  TestServer server(options);
  grpc::ChannelArguments arguments;
  arguments.SetServiceConfigJSON(
      R"({"healthCheckConfig": {"serviceName": "readiness"},
          "loadBalancingConfig": [{"round_robin": {}}]})");
  const auto channel =
      grpc::CreateCustomChannel(server.server().addresses()[0],
                                grpc::InsecureChannelCredentials(), arguments);
  ASSERT_TRUE(channel->WaitForConnected(SecondsFromNow(30)));
  const auto start = std::chrono::steady_clock::now();
  server.server().Drain();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

// One question to the reflection service. Its messages are taken from gRPC's
// library by name, because generating them here would define them twice.
class Reflection {
 public:
  explicit Reflection(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(channel) {}

  // The answer to a request with that string field set.
  std::unique_ptr<google::protobuf::Message> Ask(const std::string& field,
                                                 const std::string& value) {
    auto request = New("ServerReflectionRequest");
    request->GetReflection()->SetString(
        request.get(), request->GetDescriptor()->FindFieldByName(field), value);
    grpc::ClientContext context;
    context.set_deadline(SecondsFromNow(30));
    grpc::CompletionQueue queue;
    const auto stream = stub_.PrepareCall(
        &context,
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        &queue);
    const auto wait = [&queue] {
      void* tag;
      bool ok;
      return queue.Next(&tag, &ok) && ok;
    };
    stream->StartCall(nullptr);
    wait();
    stream->WriteLast(ToByteBuffer(request->SerializeAsString()), {}, nullptr);
    wait();
    grpc::ByteBuffer reply;
    stream->Read(&reply, nullptr);
    const bool answered = wait();
    stream->Finish(&status_, nullptr);
    wait();
    auto response = New("ServerReflectionResponse");
    EXPECT_TRUE(!answered || response->ParseFromString(ToString(reply)));
    return response;
  }

  const grpc::Status& status() const { return status_; }

 private:
  static std::unique_ptr<google::protobuf::Message> New(
      const std::string& name) {
    const google::protobuf::Descriptor* type =
        google::protobuf::DescriptorPool::generated_pool()
            ->FindMessageTypeByName("grpc.reflection.v1alpha." + name);
    return std::unique_ptr<google::protobuf::Message>(
        google::protobuf::MessageFactory::generated_factory()
            ->GetPrototype(type)
            ->New());
  }

  grpc::GenericStub stub_;
  grpc::Status status_;
};

TEST(ReflectionTest, ListsAllServices) {
  TestServer server;
  Reflection reflection(server.channel());
  const std::string text =
      reflection.Ask("list_services", "")->ShortDebugString();
  for (const char* name :
       {"stridecast.v1.TensorCompute", "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
}

// What grpcurl's describe asks for, error details included: it shows those of
// a failed call only if it can look their types up.
TEST(ReflectionTest, DescribesServicesAndErrorDetails) {
  TestServer server;
  Reflection reflection(server.channel());
  for (const char* symbol :
       {"stridecast.v1.TensorCompute", "stridecast.v1.ComputeRequest",
        "grpc.health.v1.Health", "google.rpc.BadRequest",
        "google.rpc.ErrorInfo", "google.rpc.RetryInfo", "google.rpc.Status"}) {
    const auto response = reflection.Ask("file_containing_symbol", symbol);
    const std::string text = response->ShortDebugString();
    EXPECT_THAT(text, HasSubstr("file_descriptor_response")) << symbol;
  }
}

TEST(ReflectionTest, CanBeSwitchedOff) {
  ServerOptions options = TestOptions();
  options.reflection = false;
  TestServer server(options);
  Reflection reflection(server.channel());
  (void)reflection.Ask("list_services", "");
  EXPECT_EQ(reflection.status().error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace
}  // namespace stridecast::testing
