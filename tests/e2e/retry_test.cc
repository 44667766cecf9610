// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// When calls are repeated, with what, and until when. How often for which
// outcome: client_test.cc; how long they wait: retry_delay_test.cc.

#include <algorithm>
#include <atomic>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "stridecast/async_client.h"
#include "stridecast/client.h"
#include "stridecast/stream_client.h"
#include "tests/e2e/fake_transport.h"
#include "tests/e2e/generic_server.h"

namespace stridecast {
namespace {

std::string BytesOfMessage(const grpc::ByteBuffer& message) {
  grpc::Slice whole;
  EXPECT_TRUE(message.DumpToSingleSlice(&whole).ok());
  return std::string(whole.begin(), whole.end());
}

// What each attempt looked like to the transport.
struct Attempt {
  absl::Time time;
  absl::Time deadline;
  std::string bytes;
};

// Fails the first calls with `failure`, then answers.
class Failing {
 public:
  Failing(int num_failures, absl::Status failure)
      : num_failures_(num_failures), failure_(std::move(failure)) {}

  FakeTransport::Handler Handler() {
    return [this](const CallHeader& header,
                  const grpc::ByteBuffer& message) -> Transport::Reply {
      attempts_.push_back(
          {absl::Now(), header.deadline, BytesOfMessage(message)});
      if (static_cast<int>(attempts_.size()) <= num_failures_) return failure_;
      return ComputeReply(*ParseShapeString("f32[2,3]"), {2, 4, 6, 8, 10, 12});
    };
  }
  const std::vector<Attempt>& attempts() const { return attempts_; }

 private:
  const int num_failures_;
  const absl::Status failure_;
  std::vector<Attempt> attempts_;
};

class RetryTest : public ::testing::Test {
 protected:
  const std::vector<float> buffer_ = {1, 2, 3, 4, 5, 6};
  const TensorView operand_ = *View(buffer_, {2, 3});
};

TEST_F(RetryTest, TheSameBytesAreSentEachTimeWithTheSameDeadline) {
  for (const bool is_async : {false, true}) {
    Failing failing(2, absl::UnavailableError("down"));
    const Client client = ClientOf(failing.Handler());
    const auto results =
        is_async ? AsyncClient(client).Compute(Doubling(), {operand_}).get()
                 : client.Compute(Doubling(), {operand_});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ(results->front().at<float>({1, 2}), 12);
    ASSERT_EQ(failing.attempts().size(), 3u);
    EXPECT_GT(failing.attempts()[0].bytes.size(), 24u);
    for (const Attempt& attempt : failing.attempts()) {
      EXPECT_EQ(attempt.bytes, failing.attempts()[0].bytes);
      EXPECT_EQ(attempt.deadline, failing.attempts()[0].deadline);
    }
  }
}

TEST_F(RetryTest, WaitsAsLongAsTheServerAsksAndThenItsOwnTime) {
  const absl::Duration asked = absl::Milliseconds(400);
  Failing failing(
      2, WithRetryDelay(absl::ResourceExhaustedError("no room"), asked));
  const auto results =
      ClientOf(failing.Handler()).Compute(Doubling(), {operand_});
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(failing.attempts().size(), 3u);
  for (size_t i = 1; i < 3; ++i) {
    EXPECT_GE(failing.attempts()[i].time - failing.attempts()[i - 1].time,
              asked + absl::Milliseconds(i == 1 ? 50 : 100));
  }
}

TEST_F(RetryTest, GivesUpBeforeTheDeadlineWithTheServersError) {
  Failing failing(1000, absl::UnavailableError("down"));
  const Client client = ClientOf(failing.Handler(), {.max_attempts = 1000});
  const absl::Time before = absl::Now();
  const auto results = client.Compute(Doubling(), {operand_},
                                      {.timeout = absl::Milliseconds(700)});
  EXPECT_EQ(results.status(), absl::UnavailableError("down"));
  // The waits double: 100 ms, 200, 400, each give or take a half.
  EXPECT_GE(failing.attempts().size(), 2u);
  EXPECT_LE(failing.attempts().size(), 5u);
  // It does not sit out what is too short for another attempt.
  const absl::Time last = failing.attempts().back().time;
  EXPECT_LT(last, before + absl::Milliseconds(700) + absl::Seconds(10));
}

TEST_F(RetryTest, AsOftenAsTheClientSays) {
  for (const int max_attempts : {-1, 0, 1, 2, 4}) {
    Failing failing(1000, WithRetryDelay(absl::UnavailableError("down"),
                                         absl::ZeroDuration()));
    const auto results =
        ClientOf(failing.Handler(), {.max_attempts = max_attempts})
            .Compute(Doubling(), {operand_});
    EXPECT_EQ(results.status().message(), "down");
    EXPECT_EQ(failing.attempts().size(),
              static_cast<size_t>(std::max(1, max_attempts)));
  }
}

TEST_F(RetryTest, ACallThatItsConnectionCancelledIsMadeAgain) {
  Failing failing(2, absl::CancelledError("RST_STREAM"));
  const auto results =
      ClientOf(failing.Handler()).Compute(Doubling(), {operand_});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(results->front().at<float>({1, 2}), 12);
  EXPECT_EQ(failing.attempts().size(), 3u);
}

TEST_F(RetryTest, ACallThatTheCallerCancelledIsNot) {
  std::stop_source source;
  Failing failing(1000, absl::CancelledError("by the caller"));
  const auto fail = failing.Handler();
  const Client client =
      ClientOf([&](const CallHeader& header, const grpc::ByteBuffer& message) {
        source.request_stop();
        return fail(header, message);
      });
  const auto results =
      client.Compute(Doubling(), {operand_}, {.stop = source.get_token()});
  EXPECT_EQ(results.status(), absl::CancelledError("by the caller"));
  EXPECT_EQ(failing.attempts().size(), 1u);
}

TEST_F(RetryTest, ACallCancelledAtItsDeadlineIsNot) {
  Failing failing(1000, absl::CancelledError("late"));
  // Less than the shortest wait.
  const auto results =
      ClientOf(failing.Handler())
          .Compute(Doubling(), {operand_}, {.timeout = absl::Milliseconds(40)});
  EXPECT_EQ(results.status(), absl::CancelledError("late"));
  EXPECT_EQ(failing.attempts().size(), 1u);
}

// gRPC would take the infinite past for no deadline.
TEST_F(RetryTest, NoTimeIsNotAllTime) {
  for (const absl::Duration timeout :
       {-absl::InfiniteDuration(), -absl::Seconds(1), absl::ZeroDuration()}) {
    Failing failing(0, absl::OkStatus());
    const absl::Time before = absl::Now();
    CallOptions options;
    options.timeout = timeout;
    EXPECT_TRUE(ClientOf(failing.Handler())
                    .Compute(Doubling(), {operand_}, options)
                    .ok());
    ASSERT_EQ(failing.attempts().size(), 1u);
    EXPECT_GE(failing.attempts()[0].deadline, before);
    EXPECT_LE(failing.attempts()[0].deadline, absl::Now());
  }
}

TEST_F(RetryTest, AnAttemptMayHaveLessTimeThanTheCall) {
  const absl::Duration kAttempt = absl::Seconds(10);
  for (const bool is_of_the_call : {false, true}) {
    Failing failing(2, absl::DeadlineExceededError("10 s"));
    ClientOptions options;
    options.attempt_timeout = is_of_the_call ? absl::Seconds(50) : kAttempt;
    CallOptions call;
    if (is_of_the_call) call.attempt_timeout = kAttempt;
    const auto results = ClientOf(failing.Handler(), options)
                             .Compute(Doubling(), {operand_}, call);
    ASSERT_TRUE(results.ok()) << results.status();
    ASSERT_EQ(failing.attempts().size(), 3u);
    for (const Attempt& attempt : failing.attempts()) {
      EXPECT_LE(attempt.deadline, attempt.time + kAttempt);
      EXPECT_GT(attempt.deadline, attempt.time + kAttempt / 2);
    }
    EXPECT_GT(failing.attempts()[1].deadline, failing.attempts()[0].deadline);
  }
}

TEST_F(RetryTest, TheLastAttemptMayEndTheCall) {
  Failing failing(1000, absl::DeadlineExceededError("1 s"));
  const auto results =
      ClientOf(failing.Handler(), {.attempt_timeout = absl::Seconds(1)})
          .Compute(Doubling(), {operand_});
  EXPECT_EQ(results.status(), absl::DeadlineExceededError("1 s"));
  EXPECT_EQ(failing.attempts().size(), 3u);
}

TEST_F(RetryTest, NoAttemptIsGivenTimeBeyondTheCalls) {
  Failing failing(1000, absl::DeadlineExceededError("late"));
  const absl::Time before = absl::Now();
  const auto results =
      ClientOf(failing.Handler(), {.attempt_timeout = absl::Hours(1)})
          .Compute(Doubling(), {operand_}, {.timeout = absl::Minutes(1)});
  EXPECT_EQ(results.status(), absl::DeadlineExceededError("late"));
  ASSERT_EQ(failing.attempts().size(), 1u);
  EXPECT_LT(failing.attempts()[0].deadline, before + absl::Minutes(2));
}

TEST_F(RetryTest, AStreamIsNeverRepeated) {
  std::atomic<int> num_calls = 0;
  GenericServer server([&](const auto&) {
    ++num_calls;
    return new EchoReactor(ToGrpcStatus(
        WithRetryDelay(absl::UnavailableError("down"), absl::Milliseconds(1))));
  });
  const Client client = Client::Connect(server.target());
  std::vector<float> out(6);
  const absl::Status status = StreamClient(client).ComputeInto(
      Doubling(), {operand_}, {*MutableView(out, {2, 3})});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(num_calls, 1);
  EXPECT_FALSE(client.GetServerInfo().ok());
  EXPECT_EQ(num_calls, 4) << "a unary call is";
}

}  // namespace
}  // namespace stridecast
