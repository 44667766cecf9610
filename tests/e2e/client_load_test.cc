// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Many calls against the server program: at a time, by many threads, in all
// forms, and one after the other without a leak.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/async_client.h"
#include "stridecast/async_stream_client.h"
#include "stridecast/client.h"
#include "stridecast/program.h"
#include "stridecast/stream_client.h"
#include "tests/support/server_process.h"

namespace stridecast::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(STRIDECAST_TSAN)
constexpr bool kHasSanitizer = true;
#else
constexpr bool kHasSanitizer = false;
#endif

// x + x of `count` numbers.
Signature Doubling(int64_t count) {
  ProgramBuilder b;
  const Value x = b.Parameter(*TensorDesc::Create(DType::kF32, {count}));
  b.Result(b.Add(x, x));
  return *b.Build();
}

// The log of a server grows in this process: this one says nothing, not even
// when it serves.
class ClientLoadTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    path_ = absl::StrCat(::testing::TempDir(), "stridecast_", getpid(),
                         "_load.sock");
    target_ = "unix:" + path_;
    server_ = std::make_unique<ServerProcess>(
        STRIDECAST_SERVER_PROGRAM,
        std::vector<std::string>{"--listen=" + target_, "--log-level=warning"});
  }
  static void TearDownTestSuite() {
    server_.reset();
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".lock");
  }

  static std::unique_ptr<ServerProcess> server_;
  static std::string path_;
  static std::string target_;
  const Client client_ = Client::Connect(target_, {.wait_for_ready = true});
};

std::unique_ptr<ServerProcess> ClientLoadTest::server_;
std::string ClientLoadTest::path_;
std::string ClientLoadTest::target_;

TEST_F(ClientLoadTest, SixtyFourCallsAreOutTogether) {
  constexpr size_t kCalls = 64;
  constexpr int64_t kCount = 50'000;
  const AsyncClient async(client_);
  const PreparedCompute program(Doubling(kCount));
  std::vector<std::vector<float>> buffers;
  std::vector<std::future<AsyncClient::Results>> pending;
  for (size_t i = 0; i < kCalls; ++i) {
    buffers.emplace_back(kCount, static_cast<float>(i));
  }
  for (const auto& buffer : buffers) {
    pending.push_back(async.Compute(program, {*View(buffer, {kCount})}));
  }
  for (size_t i = 0; i < kCalls; ++i) {
    const auto results = pending[i].get();
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_TRUE(std::ranges::equal(
        results->front().slots<float>(),
        std::vector<float>(kCount, static_cast<float>(2 * i))));
  }
}

TEST_F(ClientLoadTest, EveryAsynchronousMethodAgreesWithTheBlockingOne) {
  const AsyncClient async(client_);
  const std::vector<float> in = {1, 2, 3, 4, 5, 6};
  const TensorView operand = *View(in, {6});
  std::vector<float> out(6);
  const MutableTensorView result = *MutableView(out, {6});
  const std::vector<float> expected = {2, 4, 6, 8, 10, 12};
  EXPECT_THAT(
      async.Compute(Doubling(6), {operand}).get()->front().slots<float>(),
      ::testing::ElementsAreArray(expected));
  EXPECT_TRUE(async.ComputeInto(Doubling(6), {operand}, {result}).get().ok());
  EXPECT_EQ(out, expected);
  const PreparedCompute into(Doubling(6), {result.desc});
  out.assign(6, 0);
  EXPECT_TRUE(async.ComputeInto(into, {operand}, {result}).get().ok());
  EXPECT_EQ(out, expected);
  EXPECT_EQ(async.Relayout(operand, {}, ConvertAttribute{DType::kS8})
                .get()
                ->at<int8_t>({5}),
            6);
  EXPECT_TRUE(async.RelayoutInto(operand, result).get().ok());
  EXPECT_EQ(out, in);
  EXPECT_EQ(async.Explain(Doubling(6)).get()->text,
            client_.Explain(Doubling(6))->text);
  EXPECT_EQ(async.GetServerInfo().get()->version,
            client_.GetServerInfo()->version);
}

// One call in a form that `i` chooses; whether its result is right.
bool CallInSomeForm(const Client& client, int i, float number) {
  constexpr int64_t kCount = 300;
  static const Signature program = Doubling(kCount);
  const std::vector<float> in(kCount, number);
  std::vector<float> out(kCount);
  const TensorView operand = *View(in, {kCount});
  const MutableTensorView result = *MutableView(out, {kCount});
  static const PreparedCompute prepared(program, {result.desc});
  absl::Status status;
  switch (i % 7) {
    case 0:
      status = client.ComputeInto(program, {operand}, {result});
      break;
    case 1:
      status = client.ComputeInto(prepared, {operand}, {result});
      break;
    case 2:
      status =
          AsyncClient(client).ComputeInto(program, {operand}, {result}).get();
      break;
    case 3:
      status = StreamClient(client).ComputeInto(program, {operand}, {result});
      break;
    case 4:
      return client.Explain(program).ok() && client.GetServerInfo().ok();
    case 5:
      return client.Relayout(operand, {})->at<float>({kCount - 1}) == number;
    case 6:
      status = AsyncStreamClient(client)
                   .ComputeInto(program, {operand}, {result})
                   .get();
      break;
  }
  return status.ok() && out == std::vector<float>(kCount, 2 * number);
}

TEST_F(ClientLoadTest, OneClientServesManyThreadsInAllForms) {
  std::atomic<int> num_wrong = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this, &num_wrong, t] {
      for (int i = 0; i < (kHasSanitizer ? 60 : 240); ++i) {
        num_wrong +=
            !CallInSomeForm(client_, i + t, static_cast<float>(1000 * t + i));
      }
    });
  }
  threads.clear();
  EXPECT_EQ(num_wrong, 0);
}

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Keeps `kAtATime` calls out until `count` were made.
void MakeCalls(const AsyncClient& async, int count) {
  constexpr size_t kAtATime = 16;
  static const std::vector<float> in(64, 3);
  static const PreparedCompute program(Doubling(64));
  std::vector<std::future<AsyncClient::Results>> pending(kAtATime);
  for (int i = 0; i < count; ++i) {
    auto& next = pending[static_cast<size_t>(i) % kAtATime];
    if (next.valid()) {
      ASSERT_EQ(next.get()->front().at<float>({63}), 6);
    }
    next = async.Compute(program, {*View(in, {64})});
  }
  for (auto& last : pending) last.wait();
}

TEST_F(ClientLoadTest, TwentyThousandCallsLeakNothing) {
  const AsyncClient async(client_);
  MakeCalls(async, 2000);
  const int64_t before = ResidentBytes();
  MakeCalls(async, kHasSanitizer ? 2000 : 20'000);
  const int64_t grown = ResidentBytes() - before;
  // 50 bytes a call; the allocator's own comings and goings are less. A
  // sanitizer keeps what was freed for a while.
  if (kHasSanitizer) return;
  EXPECT_LT(grown, 1'000'000);
}

}  // namespace
}  // namespace stridecast::testing
