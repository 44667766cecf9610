// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Streams that do not wait, and those from memory to functions or owned
// tensors, through a real server.

#include <dirent.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/async_stream_client.h"
#include "stridecast/error_details.h"
#include "stridecast/program.h"
#include "tests/service/service_testing.h"

namespace stridecast::testing {
namespace {

using ::testing::MatchesRegex;

constexpr int64_t kMiB = int64_t{1} << 20;

std::vector<float> Counting(int64_t count, float first) {
  std::vector<float> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = first + static_cast<float>(i % 9973);
  }
  return numbers;
}

Signature PlusOne(int64_t count) {
  ProgramBuilder b;
  const Value x = b.Parameter(*TensorDesc::Create(DType::kF32, {count}));
  b.Result(b.Add(x, b.Constant(1.0f)));
  return *b.Build();
}

int64_t NumWrong(const std::vector<float>& in, std::span<const float> out) {
  int64_t num_wrong = in.size() == out.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(in.size(), out.size()); ++i) {
    num_wrong += out[i] != in[i] + 1;
  }
  return num_wrong;
}

int NumThreads() {
  DIR* const tasks = opendir("/proc/self/task");
  int count = 0;
  while (readdir(tasks) != nullptr) ++count;
  closedir(tasks);
  return count - 2;  // "." and ".."
}

class AsyncStreamServerTest : public ::testing::Test {
 protected:
  TestServer server_;
  const Client client_ = Client(server_.NewChannel());
  const AsyncStreamClient async_{client_};
  const StreamClient stream_{client_};
};

TEST_F(AsyncStreamServerTest, ManyAtATimeWithoutThreadsOfTheirOwn) {
  constexpr size_t kStreams = 24;
  constexpr int64_t kCount = kMiB;  // 4 MiB each
  std::vector<std::vector<float>> in;
  for (size_t i = 0; i < kStreams; ++i) {
    in.push_back(Counting(kCount, static_cast<float>(i)));
  }
  const Signature program = PlusOne(kCount);
  // gRPC, here and in the server, has made its threads by now.
  ASSERT_TRUE(async_.Compute(program, {*View(in[0], {kCount})}).get().ok());
  const int threads_before = NumThreads();
  std::vector<std::future<AsyncStreamClient::Results>> pending;
  for (const auto& numbers : in) {
    pending.push_back(async_.Compute(program, {*View(numbers, {kCount})}));
  }
  EXPECT_LT(NumThreads(), threads_before + static_cast<int>(kStreams) / 2);
  for (size_t i = 0; i < kStreams; ++i) {
    const auto results = pending[i].get();
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ(NumWrong(in[i], results->front().slots<float>()), 0) << i;
  }
}

TEST_F(AsyncStreamServerTest, FunctionsAreCalledOneAtATime) {
  constexpr int64_t kCount = 8 * kMiB;
  const auto in = Counting(kCount, 0);
  std::vector<float> out(in.size());
  std::atomic<int> num_inside = 0;
  int num_ready = 0, num_progress = 0;  // no atomics: never two at a time
  const auto enter = [&] { EXPECT_EQ(num_inside.fetch_add(1), 0); };
  const ReadBytes read = [&](int64_t offset, absl::Span<std::byte> into) {
    enter();
    std::copy_n(reinterpret_cast<const std::byte*>(in.data()) + offset,
                into.size(), into.data());
    --num_inside;
    return absl::OkStatus();
  };
  const WriteBytes write = [&](int64_t offset,
                               absl::Span<const std::byte> bytes) {
    enter();
    std::copy(bytes.begin(), bytes.end(),
              reinterpret_cast<std::byte*>(out.data()) + offset);
    --num_inside;
    return absl::OkStatus();
  };
  StreamOptions options;
  options.on_ready = [&](const Explanation&) {
    enter();
    ++num_ready;
    --num_inside;
    return absl::OkStatus();
  };
  options.on_progress = [&](const StreamProgress&) {
    enter();
    ++num_progress;
    --num_inside;
  };
  const absl::Status status =
      async_.Compute(PlusOne(kCount), {read}, {write}, options).get();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(NumWrong(in, out), 0);
  EXPECT_EQ(num_ready, 1);
  EXPECT_GE(num_progress, 64);
}

TEST_F(AsyncStreamServerTest, FromMemoryToFunctionsOnTheCallersThread) {
  constexpr int64_t kCount = 5 * kMiB + 3;
  const auto in = Counting(kCount, 0);
  std::vector<float> out;
  std::set<std::thread::id> threads;
  const WriteBytes append = [&](int64_t offset,
                                absl::Span<const std::byte> bytes) {
    threads.insert(std::this_thread::get_id());
    EXPECT_LE(static_cast<int64_t>(bytes.size()), kMiB);
    out.resize(in.size());
    std::copy(bytes.begin(), bytes.end(),
              reinterpret_cast<std::byte*>(out.data()) + offset);
    return absl::OkStatus();
  };
  const absl::Status status =
      stream_.Compute(PlusOne(kCount), {*View(in, {kCount})}, {append});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(NumWrong(in, out), 0);
  EXPECT_THAT(threads, ::testing::ElementsAre(std::this_thread::get_id()));
}

TEST_F(AsyncStreamServerTest, OwnedResultsHaveTheLayoutThatWasAskedFor) {
  constexpr int64_t kRows = 700, kColumns = 1100;
  const auto in = Counting(kRows * kColumns, 0);
  const auto owned = stream_.Relayout(
      *View(in, {kRows, kColumns}), DimensionOrder{{0, 1}, {}, {}},
      ConvertAttribute{DType::kF64, Overflow::kUnspecified});
  ASSERT_TRUE(owned.ok()) << owned.status();
  EXPECT_EQ(owned->desc().ToString(), "f64[700,1100]{0,1}");
  int64_t num_wrong = 0;
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t column = 0; column < kColumns; ++column) {
      num_wrong += owned->slots<double>()[column * kRows + row] !=
                   in[row * kColumns + column];
    }
  }
  EXPECT_EQ(num_wrong, 0);
}

// The id that the server logs, of calls that succeed and of those that fail.
TEST_F(AsyncStreamServerTest, RequestIdsCanBeRead) {
  const std::vector<float> in(6);
  const Signature program = PlusOne(6);
  const TensorView fine = *View(in, {6});
  ProgramBuilder b;
  const Value x = b.Parameter(fine.desc);
  b.Result(b.Append(Opcode::kAdd, {x}));  // one operand too few
  const Signature bad = *b.Build();
  using Form = std::function<absl::Status(const Signature&, CallOptions)>;
  const Form kForms[] = {
      [&](const Signature& signature, const CallOptions& options) {
        return client_.Compute(signature, {fine}, options).status();
      },
      [&](const Signature& signature, const CallOptions& options) {
        return AsyncClient(client_)
            .Compute(signature, {fine}, options)
            .get()
            .status();
      },
      [&](const Signature& signature, const CallOptions& options) {
        return stream_.Compute(signature, {fine}, {.call = options}).status();
      },
      [&](const Signature& signature, const CallOptions& options) {
        return async_.Compute(signature, {fine}, {.call = options})
            .get()
            .status();
      }};
  std::set<std::string> all;
  for (const Form& call : kForms) {
    std::string request_id;
    const CallOptions options = {.on_trailers = [&](const auto& trailers) {
      request_id = RequestIdOf(trailers);
    }};
    const absl::Status good = call(program, options);
    EXPECT_TRUE(good.ok()) << good;
    EXPECT_THAT(request_id, MatchesRegex("[0-9a-f]{16}"));
    all.insert(request_id);
    const absl::Status failed = call(bad, options);
    EXPECT_EQ(failed.code(), absl::StatusCode::kInvalidArgument) << failed;
    EXPECT_THAT(request_id, MatchesRegex("[0-9a-f]{16}"));
    EXPECT_EQ(RequestIdOf(failed), request_id);
    EXPECT_THAT(FieldOf(failed), MatchesRegex("(spec|begin).instructions.0..*"))
        << failed;
    all.insert(request_id);
  }
  EXPECT_EQ(all.size(), 8u);
}

}  // namespace
}  // namespace stridecast::testing
