// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Calls that do not simply end: cancelled, too late, refused for lack of room,
// failed by us, or running when the server stops. The fake engine holds them
// as long as it takes.

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "server/call.h"
#include "tests/service/background_call.h"
#include "tests/service/http2_client.h"
#include "tests/service/service_testing.h"
#include "tests/service/stream_testing.h"
#include "tests/support/http2_bytes.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LifecycleTest : public ::testing::Test {
 protected:
  // A budget in which one call of kFloats fits and a second does not: each
  // takes its request and its result.
  static constexpr int64_t kFloats = 250'000;
  static constexpr int64_t kBudgetBytes = 3'000'000;

  static ServerOptions Options() {
    ServerOptions options = TestOptions();
    options.max_inflight_bytes = kBudgetBytes;
    return options;
  }

  bool CallRuns() const {
    return WaitUntil([this] { return control_->num_at_gate == 1; });
  }
  absl::Status Compute(TestServer& server, const v1::ComputeRequest& request) {
    return BackgroundCall(server, request, 30).Wait();
  }

  const std::shared_ptr<FakeControl> control_ = std::make_shared<FakeControl>();
};

TEST_F(LifecycleTest, CancellingStopsTheRun) {
  TestServer server(Options(), control_);
  BackgroundCall call(server, IdentityRequest(kFloats));
  ASSERT_TRUE(CallRuns());
  call.Cancel();
  EXPECT_EQ(call.Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(WaitUntil([&] { return control_->num_cancelled == 1; }));
  // What the call held is free again.
  control_->gate_open = true;
  EXPECT_TRUE(WaitUntil(
      [&] { return Compute(server, IdentityRequest(kFloats)).ok(); }));
}

TEST_F(LifecycleTest, DeadlineOfTheCallerStopsTheRun) {
  TestServer server(Options(), control_);
  // On a busy machine a short deadline passes before the run begins.
  for (const double seconds : {0.3, 3.0, 30.0}) {
    BackgroundCall call(server, IdentityRequest(kFloats), seconds);
    const bool runs = CallRuns();
    EXPECT_EQ(call.Wait().code(), absl::StatusCode::kDeadlineExceeded);
    if (!runs) continue;
    EXPECT_TRUE(WaitUntil([&] { return control_->num_cancelled == 1; }));
    return;
  }
  FAIL() << "no run began";
}

TEST_F(LifecycleTest, CallWithoutDeadlineHasTheDefaultOne) {
  ServerOptions options = Options();
  options.default_deadline_seconds = 1;
  TestServer server(options, control_);
  BackgroundCall call(server, IdentityRequest(kFloats));
  const absl::Status status = call.Wait();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("--default-deadline-seconds"));
  EXPECT_EQ(control_->num_cancelled, 1);
}

// 114 years, and more than the clock can say: gRPC for C++ states three at
// most, that for Go what it is given.
TEST_F(LifecycleTest, ADeadlineInCenturiesIsNone) {
  ServerOptions options = Options();
  options.default_deadline_seconds = 1;
  TestServer server(options, control_);
  const std::string message =
      http2::WithPrefix(IdentityRequest(1).SerializeAsString());
  for (const char* timeout : {"1000000H", "99999999H"}) {
    Http2Client client(server.server().addresses()[0]);
    ASSERT_TRUE(client.StartCall(1, "Compute", timeout));
    ASSERT_TRUE(client.SendData(1, message, /*is_last=*/true));
    const std::optional<Http2Reply> reply = client.ReadReply(1);
    ASSERT_TRUE(reply.has_value()) << timeout;
    EXPECT_EQ(reply->headers.at("grpc-status"), "4");
    EXPECT_THAT(reply->headers.at("grpc-message"),
                HasSubstr("--default-deadline-seconds"));
  }
  EXPECT_EQ(control_->num_cancelled, 2);
}

TEST_F(LifecycleTest, OverBudgetIsRefusedWithRetryDelay) {
  TestServer server(Options(), control_);
  BackgroundCall call(server, IdentityRequest(kFloats));
  ASSERT_TRUE(CallRuns());
  const absl::Status refused = Compute(server, IdentityRequest(kFloats));
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("of --max-inflight-bytes 3000000 are in use"));
  EXPECT_EQ(RetryDelay(refused), kRetryDelay);

  control_->gate_open = true;
  EXPECT_TRUE(call.Wait().ok());
  EXPECT_TRUE(WaitUntil(
      [&] { return Compute(server, IdentityRequest(kFloats)).ok(); }));
}

TEST_F(LifecycleTest, CallThatNeverFitsIsRefusedWithoutRetryDelay) {
  control_->scratch_bytes = kBudgetBytes;
  TestServer server(Options(), control_);
  const absl::Status refused = Compute(server, IdentityRequest(kFloats));
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("more than --max-inflight-bytes 3000000"));
  EXPECT_EQ(RetryDelay(refused), std::nullopt);
}

TEST_F(LifecycleTest, SmallWorkRunsWithoutAnotherThread) {
  control_->cost_ns = 1000;
  control_->gate_open = true;
  TestServer server(Options(), control_);
  BackgroundCall call(server, IdentityRequest(3), 30);
  ASSERT_TRUE(call.Wait().ok());
  EXPECT_EQ(FloatsOf(call.response().payloads(0)),
            (std::vector<float>{0, 1, 2}));
}

TEST_F(LifecycleTest, OurFaultsAreNotToldToCallers) {
  control_->run_status = absl::InternalError("invariant (X1) at 0xdeadbeef");
  control_->gate_open = true;
  TestServer server(Options(), control_);
  const absl::Status status = Compute(server, IdentityRequest(1));
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("deadbeef")));
  EXPECT_THAT(std::string(status.message()), HasSubstr(kRequestIdTrailer));
}

// Of four rounds.
constexpr int64_t kStreamBytes = 16 * kMiB;
constexpr int64_t kStreamSteps = 16;
// The operand, and two rounds of the result.
constexpr int64_t kStreamMemoryBytes = kStreamBytes + 8 * kMiB;

std::string StreamData() {
  std::string data(kStreamBytes, '\0');
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<char>(i % 251);
  }
  return data;
}

struct StreamOutcome {
  std::string received;
  absl::Status status;
};

// A stream whose result is its operand.
StreamOutcome Echo(TestServer& server, const std::string& data) {
  Stream stream(server);
  stream.Begin(absl::StrCat("operands { type: U8 dimensions: ", data.size(),
                            " } instructions { opcode: IDENTITY operands: 0 }"
                            " results {}")
                   .c_str());
  v1::ComputeStreamResponse response;
  if (!stream.Read(response)) return {"", FromGrpcStatus(stream.Finish())};
  EXPECT_EQ(response.ready().stream_memory_bytes(), kStreamMemoryBytes);
  // Who writes must read.
  std::thread writer([&] {
    for (size_t at = 0; at < data.size(); at += kMiB) {
      if (!stream.Send(0, static_cast<int64_t>(at), data.substr(at, kMiB))) {
        return;
      }
    }
    stream.HalfClose();
  });
  std::string received = stream.ReadResults()[0];
  writer.join();
  return {std::move(received), FromGrpcStatus(stream.Finish())};
}

// The server lets go of a call a moment after its caller knows. Nothing else
// may hold a byte.
StreamOutcome EchoOnceThereIsRoom(TestServer& server, const std::string& data) {
  StreamOutcome outcome;
  EXPECT_TRUE(WaitUntil([&] {
    outcome = Echo(server, data);
    return !absl::StrContains(outcome.status.message(), "--max-inflight-bytes");
  }));
  return outcome;
}

struct FailingRun {
  const char* name;
  absl::Status status;
  int num_good_runs;
  const char* text;  // what the caller is told
};

const FailingRun kFailingRuns[] = {
    {"First", absl::InternalError("invariant (X1)"), 0, kRequestIdTrailer},
    {"Third", absl::InternalError("invariant (X1)"), 2, kRequestIdTrailer},
    {"Last", absl::DataLossError("invariant (X1)"), 3, kRequestIdTrailer},
    {"NoMemory", absl::ResourceExhaustedError("no memory for round 3"), 2,
     "no memory for round 3"},
    {"Cancelled", absl::CancelledError("by itself"), 1, "by itself"},
};

TEST_F(LifecycleTest, AStreamEndsWithTheStatusOfTheRunThatFails) {
  control_->gate_open = true;
  control_->num_outer_steps = kStreamSteps;
  const std::string data = StreamData();
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = kStreamMemoryBytes;
  TestServer server(options, control_);
  for (const FailingRun& row : kFailingRuns) {
    SCOPED_TRACE(row.name);
    control_->num_runs = 0;
    control_->num_good_runs = row.num_good_runs;
    control_->run_status = row.status;
    const StreamOutcome failed = EchoOnceThereIsRoom(server, data);
    EXPECT_EQ(failed.status.code(), row.status.code()) << failed.status;
    EXPECT_THAT(std::string(failed.status.message()), HasSubstr(row.text));
    EXPECT_EQ(control_->num_runs, row.num_good_runs + 1);
    // Of the rounds before it, some or all.
    EXPECT_LE(failed.received.size(), row.num_good_runs * 4 * kMiB);
    EXPECT_TRUE(data.starts_with(failed.received));

    control_->run_status = absl::OkStatus();
    const StreamOutcome next = EchoOnceThereIsRoom(server, data);
    EXPECT_EQ(next.status, absl::OkStatus());
    EXPECT_TRUE(next.received == data);
    EXPECT_TRUE(
        WaitUntil([&] { return Compute(server, IdentityRequest(4)).ok(); }));
  }
}

TEST_F(LifecycleTest, ReplyOutlivesTheServer) {
  control_->gate_open = true;
  TestServer server(Options(), control_);
  const auto channel = server.server().grpc_server().InProcessChannel({});
  const absl::StatusOr<grpc::ByteBuffer> reply =
      CallRaw(channel, "Compute",
              ToByteBuffer(IdentityRequest(kFloats).SerializeAsString()));
  ASSERT_TRUE(reply.ok()) << reply.status();
  server.Stop();
  v1::ComputeResponse response;
  ASSERT_TRUE(response.ParseFromString(ToString(*reply)));
  EXPECT_EQ(FloatsOf(response.payloads(0)).at(kFloats - 1), kFloats - 1);
}

TEST_F(LifecycleTest, DrainAdmitsThenLetsCallsEnd) {
  ServerOptions options = Options();
  options.drain_delay_seconds = 1;
  options.max_inflight_bytes = 10 * kBudgetBytes;
  TestServer server(options, control_);
  const auto health = grpc::health::v1::Health::NewStub(server.channel());
  const auto serving_status = [&](const std::string& name) {
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(name);
    grpc::health::v1::HealthCheckResponse response;
    grpc::ClientContext context;
    EXPECT_TRUE(health->Check(&context, request, &response).ok());
    return response.status();
  };
  using grpc::health::v1::HealthCheckResponse;

  BackgroundCall before(server, IdentityRequest(kFloats));
  ASSERT_TRUE(CallRuns());
  std::thread drain([&] { server.server().Drain(); });
  EXPECT_TRUE(WaitUntil([&] {
    return serving_status("readiness") == HealthCheckResponse::NOT_SERVING;
  }));
  EXPECT_EQ(serving_status("liveness"), HealthCheckResponse::SERVING);
  BackgroundCall during(server, IdentityRequest(kFloats));
  EXPECT_TRUE(WaitUntil([this] { return control_->num_at_gate == 2; }));

  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_EQ(control_->num_at_gate, 2);  // both outlast the delay
  control_->gate_open = true;
  EXPECT_EQ(before.Wait(), absl::OkStatus());
  EXPECT_EQ(during.Wait(), absl::OkStatus());
  drain.join();
  EXPECT_FALSE(Compute(server, IdentityRequest(kFloats)).ok());
}

// 0, 1, 2 ... as F32, of a small request.
v1::ComputeRequest IotaRequest(int64_t num_floats) {
  return FromText<v1::ComputeRequest>(
      absl::StrCat("spec { instructions { opcode: IOTA iota { type: F32 shape "
                   "{ dimensions: ",
                   num_floats, " } } } results { encoding: RAW } }"));
}

// Whether a call was given up by gRPC's client before it was sent. It is sent
// on another connection only if its request has at most 256 KiB.
bool IsUnsent(const grpc::Status& status) {
  return status.error_code() == grpc::UNAVAILABLE &&
         status.error_message() == "GOAWAY received";
}

// A client of a stock stub with the addresses of two servers, of which one is
// drained under its calls; nobody repeats a call that the server may have seen.
TEST_F(LifecycleTest, ADrainFailsNoCallOfAClientWithAnotherServer) {
  constexpr int kNumCallers = 4;
  ServerOptions options = TestOptions();
  options.drain_delay_seconds = 0;
  options.max_inflight_bytes = int64_t{1} << 30;
  TestServer stays(options);
  const v1::ComputeRequest small = IdentityRequest(1000);
  const v1::ComputeRequest great_reply = IotaRequest(1'000'000);
  const v1::ComputeRequest both_great = IdentityRequest(1'000'000);
  // Of great replies much is in the kernel when a call ends.
  for (const v1::ComputeRequest* request :
       {&small, &small, &small, &great_reply, &great_reply, &both_great}) {
    const int num_enough = request == &small ? 100 : 8;
    TestServer drained(options);
    std::atomic<int> num_calls = 0;
    std::atomic<bool> is_over = false;
    std::vector<std::thread> callers;
    for (int k = 0; k < kNumCallers; ++k) {
      grpc::ChannelArguments arguments;
      arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      arguments.SetMaxReceiveMessageSize(-1);
      const auto channel = grpc::CreateCustomChannel(
          absl::StrCat("ipv4:", drained.server().addresses().front(), ",",
                       stays.server().addresses().front()),
          grpc::InsecureChannelCredentials(), arguments);
      callers.emplace_back([&, channel] {
        const auto stub = v1::TensorCompute::NewStub(channel);
        while (!is_over) {
          grpc::ClientContext context;
          v1::ComputeResponse response;
          const grpc::Status status =
              stub->Compute(&context, *request, &response);
          ++num_calls;
          if (request == &both_great && IsUnsent(status)) continue;
          ASSERT_TRUE(status.ok())
              << request->ByteSizeLong() << " bytes: " << status.error_code()
              << ": " << status.error_message();
          EXPECT_EQ(FloatsOf(response.payloads(0)).at(999), 999);
        }
      });
    }
    EXPECT_TRUE(WaitUntil([&] { return num_calls > num_enough; }));
    drained.server().Drain();
    drained.Stop();
    const int before = num_calls;
    EXPECT_TRUE(WaitUntil([&] { return num_calls > before + num_enough; }));
    is_over = true;
    for (std::thread& caller : callers) caller.join();
  }
}

TEST_F(LifecycleTest, DrainCancelsAtItsDeadline) {
  ServerOptions options = Options();
  options.drain_deadline_seconds = 1;
  TestServer server(options, control_);
  BackgroundCall call(server, IdentityRequest(kFloats));
  ASSERT_TRUE(CallRuns());
  const auto start = std::chrono::steady_clock::now();
  server.server().Drain();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
  EXPECT_FALSE(call.Wait().ok());
  EXPECT_EQ(control_->num_cancelled, 1);
}

}  // namespace
}  // namespace stridecast::testing
