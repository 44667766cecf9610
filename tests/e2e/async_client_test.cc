// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Calls that do not wait, over transports that the test plays and over real
// connections: values, that each function is called once, and who owns what.

#include "stridecast/async_client.h"

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "client/call_start.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/program.h"
#include "stridecast/v1/service.pb.h"
#include "tests/e2e/fake_transport.h"
#include "tests/e2e/generic_server.h"
#include "tests/e2e/pages.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const DimensionOrder kColumnMajor{{0, 1}, {}, {}};

// What a server would answer to the calls below.
absl::StatusOr<grpc::ByteBuffer> Answer(const CallHeader& header,
                                        const grpc::ByteBuffer&) {
  if (header.method == "/stridecast.v1.TensorCompute/Compute") {
    return ComputeReply(*ParseShapeString("f32[2,3]"), {2, 4, 6, 8, 10, 12});
  }
  if (header.method == "/stridecast.v1.TensorCompute/Relayout") {
    return EncodeReply(SpecSource::kRelayout,
                       {*ParseShapeString("f32[2,3]{0,1}")}, {Encoding::kRaw},
                       {SliceOf({1, 4, 2, 5, 3, 6})});
  }
  if (header.method == "/stridecast.v1.TensorCompute/Explain") {
    v1::Plan plan;
    plan.set_text("pass 0");
    return ToBuffer(plan);
  }
  v1::GetServerInfoResponse info;
  info.set_version("1.2.3");
  return ToBuffer(info);
}

// A function for a call, and what it is called with.
template <typename T>
class Outcome {
 public:
  std::function<void(T)> Function() {
    return [shared = shared_](T value) {
      shared->value.emplace(std::move(value));
      ++shared->num_calls;
      if (shared->num_calls == 1) shared->called.Notify();
    };
  }
  T& Wait() {
    shared_->called.WaitForNotification();
    return *shared_->value;
  }
  int num_calls() const { return shared_->num_calls; }

 private:
  struct Shared {
    std::optional<T> value;
    std::atomic<int> num_calls = 0;
    absl::Notification called;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

class EveryMethodTest : public ::testing::Test {
 protected:
  const AsyncClient async_{ClientOf(&Answer)};
  const std::vector<float> buffer_ = {1, 2, 3, 4, 5, 6};
  std::vector<float> out_ = std::vector<float>(6, -1);
  const TensorView operand_ = *View(buffer_, {2, 3});
  const MutableTensorView row_major_ = *MutableView(out_, {2, 3});
  const MutableTensorView column_major_ =
      *MutableView(out_, {2, 3}, kColumnMajor);
  const PreparedCompute prepared_{Doubling()};
  const PreparedCompute prepared_into_{Doubling(), {row_major_.desc}};
};

TEST_F(EveryMethodTest, AsAFuture) {
  auto results = async_.Compute(Doubling(), {operand_}).get();
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(results->front().at<float>({1, 2}), 12);
  results = async_.Compute(prepared_, {operand_}).get();
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(results->front().at<float>({1, 2}), 12);

  EXPECT_TRUE(
      async_.ComputeInto(Doubling(), {operand_}, {row_major_}).get().ok());
  EXPECT_THAT(out_, ElementsAre(2, 4, 6, 8, 10, 12));
  out_.assign(6, -1);
  EXPECT_TRUE(
      async_.ComputeInto(prepared_into_, {operand_}, {row_major_}).get().ok());
  EXPECT_THAT(out_, ElementsAre(2, 4, 6, 8, 10, 12));

  const auto owned = async_.Relayout(operand_, kColumnMajor).get();
  ASSERT_TRUE(owned.ok()) << owned.status();
  EXPECT_EQ(owned->at<float>({1, 0}), 4);
  EXPECT_TRUE(async_.RelayoutInto(operand_, column_major_).get().ok());
  EXPECT_THAT(out_, ElementsAre(1, 4, 2, 5, 3, 6));

  EXPECT_EQ(async_.Explain(Doubling()).get()->text, "pass 0");
  EXPECT_EQ(async_.GetServerInfo().get()->version, "1.2.3");
}

TEST_F(EveryMethodTest, WithAFunction) {
  for (const bool is_prepared : {false, true}) {
    Outcome<AsyncClient::Results> results;
    Outcome<absl::Status> into;
    out_.assign(6, -1);
    if (is_prepared) {
      async_.Compute(prepared_, {operand_}, results.Function());
      async_.ComputeInto(prepared_into_, {operand_}, {row_major_},
                         into.Function());
    } else {
      async_.Compute(Doubling(), {operand_}, results.Function());
      async_.ComputeInto(Doubling(), {operand_}, {row_major_}, into.Function());
    }
    ASSERT_TRUE(results.Wait().ok()) << results.Wait().status();
    EXPECT_EQ(results.Wait()->front().at<float>({1, 2}), 12);
    EXPECT_TRUE(into.Wait().ok());
    EXPECT_THAT(out_, ElementsAre(2, 4, 6, 8, 10, 12));
    EXPECT_EQ(results.num_calls() + into.num_calls(), 2);
  }
  Outcome<absl::StatusOr<OwnedTensor>> owned;
  async_.Relayout(operand_, kColumnMajor, std::nullopt, owned.Function());
  EXPECT_EQ(owned.Wait()->at<float>({1, 0}), 4);
  Outcome<absl::Status> into;
  async_.RelayoutInto(operand_, column_major_, Overflow::kUnspecified,
                      into.Function());
  EXPECT_TRUE(into.Wait().ok());
  EXPECT_THAT(out_, ElementsAre(1, 4, 2, 5, 3, 6));
  Outcome<absl::StatusOr<Explanation>> explanation;
  async_.Explain(Doubling(), explanation.Function());
  EXPECT_EQ(explanation.Wait()->text, "pass 0");
  Outcome<absl::StatusOr<ServerInfo>> info;
  async_.GetServerInfo(info.Function());
  EXPECT_EQ(info.Wait()->version, "1.2.3");
}

TEST(AsyncClientTest, CallsAreOutTogetherAndEndInAnyOrder) {
  constexpr size_t kCalls = 64;
  const auto transport = std::make_shared<HeldTransport>();
  const AsyncClient async{Client(transport)};
  std::vector<std::vector<float>> buffers;
  for (size_t i = 0; i < kCalls; ++i) {
    buffers.emplace_back(6, static_cast<float>(i));
  }
  std::vector<std::future<AsyncClient::Results>> pending;
  for (const auto& buffer : buffers) {
    pending.push_back(async.Compute(Doubling(), {*View(buffer, {2, 3})}));
  }
  std::vector<HeldTransport::HeldCall> calls;
  for (size_t i = 0; i < kCalls; ++i) calls.push_back(transport->Take());
  for (size_t i = kCalls; i-- > 0;) {
    auto call = std::move(calls[i]);
    calls.pop_back();
    float sent = -1;
    const auto request = DecodeComputeRequest(call.request);
    request->payloads[0].CopyTo(0, sizeof(sent),
                                reinterpret_cast<std::byte*>(&sent));
    EXPECT_EQ(sent, static_cast<float>(i));
    call.request.Clear();
    call.done(ComputeReply(*ParseShapeString("f32[2,3]"),
                           std::vector<float>(6, 2 * sent)));
  }
  for (size_t i = 0; i < kCalls; ++i) {
    const auto results = pending[i].get();
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ(results->front().at<float>({1, 1}), static_cast<float>(2 * i));
  }
}

// What ends calls before they begin.
TEST(AsyncClientTest, ACallThatCannotBeginEndsOnce) {
  const AsyncClient async{
      ClientOf([](const CallHeader&, const grpc::ByteBuffer&) {
        ADD_FAILURE() << "called";
        return absl::InternalError("");
      })};
  const std::vector<float> buffer(6);
  const TensorView operand = *View(buffer, {2, 3});
  std::stop_source stopped;
  stopped.request_stop();
  const struct {
    std::vector<TensorView> operands;
    CallOptions options;
    absl::StatusCode code;
    const char* text;
  } kRows[] = {{{}, {}, absl::StatusCode::kInvalidArgument, "0 operands given"},
               {{operand},
                {.metadata = {{"Key", ""}}},
                absl::StatusCode::kInvalidArgument,
                "metadata: the key \"Key\""},
               {{operand},
                {.stop = stopped.get_token()},
                absl::StatusCode::kCancelled,
                "the caller cancelled"}};
  for (const auto& row : kRows) {
    Outcome<AsyncClient::Results> outcome;
    async.Compute(Doubling(), row.operands, outcome.Function(), row.options);
    EXPECT_EQ(outcome.Wait().status().code(), row.code);
    EXPECT_THAT(outcome.Wait().status().message(), HasSubstr(row.text));
    EXPECT_EQ(outcome.num_calls(), 1);
    EXPECT_EQ(async.Compute(Doubling(), row.operands, row.options)
                  .get()
                  .status()
                  .code(),
              row.code);
  }
}

// Constants past 2 GiB: too much memory for a test, so the empty message that
// stands for them is made here.
TEST(AsyncClientTest, AnUnencodableMessageIsNotSent) {
  const auto transport = std::make_shared<FakeTransport>(
      [](const CallHeader&, const grpc::ByteBuffer&) {
        ADD_FAILURE() << "called";
        return absl::InternalError("");
      });
  Outcome<Transport::Reply> outcome;
  StartCall(transport, {}, {}, "Compute", grpc::ByteBuffer(),
            outcome.Function());
  EXPECT_EQ(outcome.Wait().status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(outcome.Wait().status().message(), HasSubstr("2 GiB"));
  EXPECT_EQ(outcome.num_calls(), 1);
}

TEST(AsyncClientTest, ClientsMayGoBeforeTheirCallsEnd) {
  const auto transport = std::make_shared<HeldTransport>();
  const std::vector<float> buffer(6);
  std::future<AsyncClient::Results> future;
  Outcome<AsyncClient::Results> outcome;
  {
    const Client client(transport);
    const AsyncClient async(client);
    const Signature program = Doubling();
    const PreparedCompute prepared(program);
    future = async.Compute(program, {*View(buffer, {2, 3})});
    async.Compute(prepared, {*View(buffer, {2, 3})}, outcome.Function());
  }
  for (int i = 0; i < 2; ++i) {
    HeldTransport::HeldCall call = transport->Take();
    EXPECT_TRUE(DecodeComputeRequest(call.request).ok());
    call.request.Clear();
    call.done(Answer(call.header, {}));
  }
  EXPECT_EQ(future.get()->front().at<float>({0, 0}), 2);
  EXPECT_EQ(outcome.Wait()->front().at<float>({0, 0}), 2);
}

TEST(AsyncClientTest, ADroppedFutureNeitherCancelsNorWaits) {
  const auto transport = std::make_shared<HeldTransport>();
  const std::vector<float> buffer(6);
  (void)AsyncClient(Client(transport))
      .Compute(Doubling(), {*View(buffer, {2, 3})});
  HeldTransport::HeldCall call = transport->Take();
  EXPECT_FALSE(call.header.stop.stop_possible());
  call.request.Clear();
  call.done(Answer(call.header, {}));
}

// The last that holds the connection is then a thread of gRPC's, which must not
// end those threads.
TEST(AsyncClientOverTcpTest, TheLastCallMayOutliveAllClients) {
  for (int i = 0; i < 30; ++i) {
    Outcome<absl::StatusOr<ServerInfo>> outcome;
    AsyncClient(
        Client::Connect("unix:/nowhere/stridecast.sock", {.max_attempts = 1}))
        .GetServerInfo(outcome.Function());
    EXPECT_EQ(outcome.Wait().status().code(), absl::StatusCode::kUnavailable);
  }
}

TEST(AsyncClientOverTcpTest, MemoryIsFreeWhenTheFunctionIsCalled) {
  GenericServer server([](const auto&) { return new DeafReactor; });
  const AsyncClient async(Client::Connect(server.target()));
  const auto desc = TensorDesc::Create(DType::kU8, {int64_t{64} << 20});
  ProgramBuilder b;
  b.Result(b.Parameter(*desc));
  for (int i = 0; i < 3; ++i) {
    Pages operand(static_cast<size_t>(desc->size_bytes()));
    absl::Notification ended;
    async.Compute(*b.Build(), {TensorView{*desc, operand.data()}},
                  [&](const AsyncClient::Results& results) {
                    EXPECT_EQ(results.status().code(),
                              absl::StatusCode::kDeadlineExceeded);
                    operand.Forbid();
                    ended.Notify();
                  },
                  {.timeout = absl::Milliseconds(200)});
    ended.WaitForNotification();
    // Who still wrote from the memory would do so now.
    absl::SleepFor(absl::Milliseconds(50));
  }
}

}  // namespace
}  // namespace stridecast
