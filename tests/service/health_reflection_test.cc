// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The standard services that tools and orchestrators rely on.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpc/reflection/v1/reflection.pb.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "gtest/gtest.h"
#include "tests/service/service_testing.h"
#include "tests/service/unsent_call.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;

grpc::health::v1::HealthCheckRequest AskFor(const std::string& name) {
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(name);
  return request;
}

TEST(HealthTest, CheckKnowsFourNames) {
  TestServer server;
  const auto health = grpc::health::v1::Health::NewStub(server.channel());
  for (const char* name :
       {"", "stridecast.v1.TensorCompute", "liveness", "readiness"}) {
    grpc::health::v1::HealthCheckResponse response;
    grpc::ClientContext context;
    EXPECT_TRUE(health->Check(&context, AskFor(name), &response).ok()) << name;
    EXPECT_EQ(response.status(), response.SERVING) << name;
  }
  grpc::health::v1::HealthCheckResponse response;
  grpc::ClientContext context;
  const grpc::Status status =
      health->Check(&context, AskFor("unheard.of"), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(),
            "service: \"unheard.of\" is not known; known are \"\", "
            "\"liveness\", \"readiness\", \"stridecast.v1.TensorCompute\"");
}

// What a call of /grpc.health.v1.Health/`method` that sends only `bytes` gets.
grpc::Status StatusOfHealthCall(TestServer& server, const std::string& method,
                                const std::optional<std::string>& bytes) {
  grpc::GenericStub stub(server.channel());
  grpc::ClientContext context;
  context.set_deadline(SecondsFromNow(30));
  grpc::CompletionQueue queue;
  const auto wait = [&queue] {
    void* tag;
    bool ok;
    EXPECT_TRUE(queue.Next(&tag, &ok));
  };
  const auto call =
      stub.PrepareCall(&context, "/grpc.health.v1.Health/" + method, &queue);
  call->StartCall(nullptr);
  wait();
  if (bytes.has_value()) {
    call->WriteLast(ToByteBuffer(*bytes), {}, nullptr);
  } else {
    call->WritesDone(nullptr);
  }
  wait();
  grpc::Status status;
  call->Finish(&status, nullptr);
  wait();
  return status;
}

TEST(HealthTest, FaultyRequests) {
  TestServer server;
  for (const char* method : {"Check", "Watch"}) {
    const grpc::Status none = StatusOfHealthCall(server, method, std::nullopt);
    EXPECT_EQ(none.error_code(), grpc::INVALID_ARGUMENT) << method;
    EXPECT_EQ(none.error_message(),
              "request: the call ended before its message");
    const grpc::Status garbage = StatusOfHealthCall(server, method, "\x0a\x7f");
    EXPECT_EQ(garbage.error_code(), grpc::INVALID_ARGUMENT) << method;
    EXPECT_EQ(garbage.error_message(),
              "HealthCheckRequest: the bytes are no message");
    const grpc::Status large = StatusOfHealthCall(
        server, method, AskFor(std::string(5000, 'x')).SerializeAsString());
    EXPECT_EQ(large.error_code(), grpc::RESOURCE_EXHAUSTED) << method;
    EXPECT_EQ(large.error_message(),
              "request: it has 5003 bytes, more than 4096 of this service");
  }
}

// Who is full is not ill.
TEST(HealthTest, ServesWhileNoCallIsAdmitted) {
  ServerOptions options = TestOptions();
  options.max_inflight_calls = 1;
  options.max_inflight_bytes = 1'000'000;
  TestServer server(options);
  grpc::ClientContext held_context;
  const auto held = server.stub().ComputeStream(&held_context);
  ASSERT_TRUE(
      WaitUntil([&] { return server.server().service().num_calls() == 1; }));
  const auto health = grpc::health::v1::Health::NewStub(server.channel());
  grpc::health::v1::HealthCheckResponse response;
  grpc::ClientContext context;
  EXPECT_TRUE(health->Check(&context, AskFor("readiness"), &response).ok());
  EXPECT_EQ(response.status(), response.SERVING);
  held_context.TryCancel();
  (void)held->Finish();
}

// Calls that never send a request do not keep others out, but for those that
// their connection has too many of.
TEST(HealthTest, WhoIsSilentMakesRoom) {
  ServerOptions options = TestOptions();
  options.max_connections = 10;  // 20 calls of each method, 16 of a connection
  TestServer server(options);
  grpc::health::v1::HealthCheckResponse response;
  const std::string check = "/grpc.health.v1.Health/Check";
  for (const std::string& path :
       {check, std::string("/grpc.health.v1.Health/Watch")}) {
    const int64_t refused_before = server.server().health().num_refused();
    const auto num_refused = [&] {
      return server.server().health().num_refused() - refused_before;
    };
    const UnsentCalls crowd = UnsentOn(server.NewChannel(), 17, path);
    ASSERT_TRUE(WaitUntil([&] { return num_refused() == 1; }));
    const UnsentCalls more = UnsentOn(server.NewChannel(), 4, path);

    const auto health = grpc::health::v1::Health::NewStub(server.channel());
    const auto is_told = [&] {
      grpc::ClientContext context;
      context.set_deadline(SecondsFromNow(30));
      if (path == check) {
        return health->Check(&context, AskFor("liveness"), &response).ok();
      }
      const auto reader = health->Watch(&context, AskFor("liveness"));
      return reader->Read(&response);
    };
    // Once those that are silent have all arrived.
    EXPECT_TRUE(WaitUntil([&] {
      EXPECT_TRUE(is_told());
      EXPECT_EQ(response.status(), response.SERVING);
      return num_refused() == 2;
    }));
  }
}

// Their places are free once they have ended.
TEST(HealthTest, WatchesOfAConnectionAreBounded) {
  ServerOptions options = TestOptions();
  options.max_connections = 10;
  TestServer server(options);
  const auto health = grpc::health::v1::Health::NewStub(server.channel());
  struct Watched {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<grpc::health::v1::HealthCheckResponse>>
        reader;
  };
  grpc::health::v1::HealthCheckResponse response;
  std::vector<std::unique_ptr<Watched>> watches;
  for (int i = 0; i < 16; ++i) {
    auto& watch = *watches.emplace_back(std::make_unique<Watched>());
    watch.reader = health->Watch(&watch.context, AskFor("liveness"));
    ASSERT_TRUE(watch.reader->Read(&response));
  }
  const auto watch_once = [&](const auto& stub) {
    grpc::ClientContext context;
    const auto reader = stub->Watch(&context, AskFor("unheard.of"));
    const bool was_told = reader->Read(&response);
    if (was_told) context.TryCancel();
    return std::pair(was_told, reader->Finish());
  };
  const auto [was_told, refused] = watch_once(health);
  EXPECT_FALSE(was_told);
  EXPECT_EQ(refused.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(refused.error_message(),
            "16 calls of Watch, as many as a connection may have, are under "
            "way on this one");
  EXPECT_EQ(server.server().health().num_refused(), 1);
  EXPECT_TRUE(
      watch_once(grpc::health::v1::Health::NewStub(server.NewChannel())).first);
  EXPECT_EQ(response.status(), response.SERVICE_UNKNOWN);

  watches.pop_back();
  EXPECT_TRUE(WaitUntil([&] { return watch_once(health).first; }));
  for (const auto& watch : watches) watch->context.TryCancel();
}

// A watch that its client does not end is cancelled at the drain deadline.
TEST(HealthTest, WatchTellsOfTheDrain) {
  ServerOptions options = TestOptions();
  options.drain_deadline_seconds = 1;
  TestServer server(options);
  const auto health = grpc::health::v1::Health::NewStub(server.channel());
  grpc::ClientContext context;
  const auto watch = health->Watch(&context, AskFor("readiness"));
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

using grpc::reflection::v1::ServerReflectionRequest;
using grpc::reflection::v1::ServerReflectionResponse;

// A stream of the reflection service, of one of its versions.
class Reflection {
 public:
  explicit Reflection(TestServer& server, const std::string& version = "v1")
      : stub_(server.channel()) {
    context_.set_deadline(SecondsFromNow(30));
    stream_ = stub_.PrepareCall(&context_,
                                "/grpc.reflection." + version +
                                    ".ServerReflection/ServerReflectionInfo",
                                &queue_);
    stream_->StartCall(nullptr);
    Wait();
  }
  ~Reflection() {
    context_.TryCancel();
    if (!has_ended_) End();
  }

  // The answer; none if the stream has ended.
  std::optional<ServerReflectionResponse> Ask(
      const ServerReflectionRequest& request) {
    grpc::ByteBuffer reply;
    stream_->Write(ToByteBuffer(request.SerializeAsString()), nullptr);
    Wait();
    stream_->Read(&reply, nullptr);
    ServerReflectionResponse response;
    if (!Wait() || !response.ParseFromString(ToString(reply))) {
      return std::nullopt;
    }
    EXPECT_EQ(response.original_request().SerializeAsString(),
              request.SerializeAsString());
    EXPECT_EQ(response.valid_host(), request.host());
    return response;
  }
  std::optional<ServerReflectionResponse> AskText(const std::string& text) {
    return Ask(FromText<ServerReflectionRequest>(text));
  }

  void SayNoMore() {
    stream_->WritesDone(nullptr);
    Wait();
  }
  grpc::Status End() {
    grpc::Status status;
    stream_->Finish(&status, nullptr);
    Wait();
    has_ended_ = true;
    return status;
  }

 private:
  bool Wait() {
    void* tag;
    bool ok;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  bool has_ended_ = false;
};

TEST(ReflectionTest, ListsAllServices) {
  for (const bool with_channelz : {false, true}) {
    ServerOptions options = TestOptions();
    options.channelz = with_channelz;
    TestServer server(options);
    for (const char* version : {"v1", "v1alpha"}) {
      Reflection reflection(server, version);
      const auto response = reflection.AskText("list_services: ''");
      ASSERT_TRUE(response.has_value());
      std::vector<std::string> names;
      for (const auto& service : response->list_services_response().service()) {
        names.push_back(service.name());
      }
      std::vector<std::string> expected = {
          "stridecast.v1.TensorCompute", "grpc.health.v1.Health",
          "grpc.reflection.v1.ServerReflection",
          "grpc.reflection.v1alpha.ServerReflection"};
      if (with_channelz) expected.push_back("grpc.channelz.v1.Channelz");
      EXPECT_EQ(names, expected);
    }
  }
}

// The files of an answer, which together must make a pool; empty if they don't.
std::vector<std::string> FilesOf(const ServerReflectionResponse& response) {
  const auto& files =
      response.file_descriptor_response().file_descriptor_proto();
  std::vector<std::string> names;
  google::protobuf::DescriptorPool pool;
  // Those that others import come after them.
  for (auto bytes = files.rbegin(); bytes != files.rend(); ++bytes) {
    google::protobuf::FileDescriptorProto file;
    if (!file.ParseFromString(*bytes)) return {};
    names.push_back(file.name());
    for (const std::string& import : file.dependency()) {
      EXPECT_THAT(names, ::testing::Contains(import));
    }
    if (pool.BuildFile(file) == nullptr) return {};
  }
  return names;
}

// What grpcurl's describe asks for, error details included: it shows those of
// a failed call only if it can look their types up.
TEST(ReflectionTest, DescribesServicesAndErrorDetails) {
  TestServer server;
  Reflection reflection(server);
  for (const char* symbol :
       {"stridecast.v1.ComputeRequest", "grpc.health.v1.Health",
        "grpc.health.v1.Health.Check", "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection", "google.rpc.BadRequest",
        "google.rpc.ErrorInfo", "google.rpc.RetryInfo", "google.rpc.Status"}) {
    ServerReflectionRequest request;
    request.set_host("somewhere");
    request.set_file_containing_symbol(symbol);
    const auto response = reflection.Ask(request);
    ASSERT_TRUE(response.has_value()) << symbol;
    EXPECT_FALSE(FilesOf(*response).empty()) << symbol;
  }
}

TEST(ReflectionTest, FilesComeWithWhatTheyImport) {
  TestServer server;
  Reflection reflection(server);
  for (const char* question :
       {"file_by_filename: 'stridecast/v1/service.proto'",
        "file_containing_symbol: 'stridecast.v1.TensorCompute'"}) {
    const auto response = reflection.AskText(question);
    ASSERT_TRUE(response.has_value());
    EXPECT_THAT(FilesOf(*response),
                ::testing::UnorderedElementsAre("stridecast/v1/service.proto",
                                                "stridecast/v1/program.proto",
                                                "stridecast/v1/tensor.proto"));
  }
}

// An answer of its own each, and the stream goes on.
TEST(ReflectionTest, WhatIsNotKnown) {
  TestServer server;
  Reflection reflection(server);
  const auto expect_error = [&](const std::string& question,
                                grpc::StatusCode code) {
    const auto response = reflection.AskText(question);
    ASSERT_TRUE(response.has_value()) << question;
    EXPECT_EQ(response->error_response().error_code(), code) << question;
    EXPECT_NE(response->error_response().error_message(), "") << question;
  };
  expect_error("file_by_filename: 'no.proto'", grpc::NOT_FOUND);
  expect_error("file_containing_symbol: 'no.Such'", grpc::NOT_FOUND);
  expect_error("file_containing_extension { containing_type: 'no.Such' }",
               grpc::NOT_FOUND);
  expect_error(
      "file_containing_extension { containing_type: "
      "'stridecast.v1.ComputeRequest' extension_number: 100 }",
      grpc::NOT_FOUND);
  expect_error("all_extension_numbers_of_type: 'no.Such'", grpc::NOT_FOUND);
  expect_error("", grpc::INVALID_ARGUMENT);
  const auto response = reflection.AskText(
      "all_extension_numbers_of_type: 'stridecast.v1.ComputeRequest'");
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->all_extension_numbers_response().base_type_name(),
            "stridecast.v1.ComputeRequest");
  EXPECT_EQ(response->all_extension_numbers_response().extension_number_size(),
            0);
  reflection.SayNoMore();
  EXPECT_TRUE(reflection.End().ok());
}

TEST(ReflectionTest, LongQuestionsEndTheStream) {
  TestServer server;
  Reflection reflection(server);
  ServerReflectionRequest request;
  request.set_file_by_filename(std::string(5000, 'x'));
  EXPECT_EQ(reflection.Ask(request), std::nullopt);
  const grpc::Status status = reflection.End();
  EXPECT_EQ(status.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("more than 4096"));
}

TEST(ReflectionTest, SilenceEndsTheStream) {
  ServerOptions options = TestOptions();
  options.stream_idle_seconds = 1;
  TestServer server(options);
  Reflection reflection(server);
  ASSERT_TRUE(reflection.AskText("list_services: ''").has_value());
  EXPECT_EQ(reflection.End().error_code(), grpc::CANCELLED);
}

TEST(ReflectionTest, CanBeSwitchedOff) {
  ServerOptions options = TestOptions();
  options.reflection = false;
  TestServer server(options);
  for (const char* version : {"v1", "v1alpha"}) {
    Reflection reflection(server, version);
    EXPECT_EQ(reflection.End().error_code(), grpc::UNIMPLEMENTED);
  }
}

}  // namespace
}  // namespace stridecast::testing
