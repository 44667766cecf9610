// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What bench measures with, and the line that is shown while one waits.

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

#include "absl/time/clock.h"
#include "client/tool/interruption.h"
#include "client/tool/latency_histogram.h"
#include "client/tool/load.h"
#include "client/tool/progress.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(LatencyHistogramTest, PercentilesAreAtMostOne64thTooHigh) {
  LatencyHistogram histogram;
  for (int64_t i = 1000; i > 0; --i) histogram.Add(absl::Microseconds(i));
  EXPECT_EQ(histogram.count(), 1000);
  EXPECT_EQ(histogram.max(), absl::Milliseconds(1));
  const struct {
    double percent;
    int64_t exact_us;
  } kRows[] = {{0.1, 1}, {50, 500}, {90, 900}, {99, 990}, {99.9, 999}};
  for (const auto& row : kRows) {
    const absl::Duration exact = absl::Microseconds(row.exact_us);
    EXPECT_GE(histogram.Percentile(row.percent), exact) << row.percent;
    EXPECT_LE(histogram.Percentile(row.percent), exact * 65 / 64.0)
        << row.percent;
  }
  EXPECT_EQ(histogram.Percentile(100), absl::Milliseconds(1));
}

TEST(LatencyHistogramTest, EveryDurationHasAPlace) {
  for (const absl::Duration duration :
       {absl::ZeroDuration(), absl::Nanoseconds(1), absl::Nanoseconds(127),
        absl::Nanoseconds(128), absl::Nanoseconds(129), absl::Hours(1),
        absl::Nanoseconds(std::numeric_limits<int64_t>::max())}) {
    LatencyHistogram histogram;
    histogram.Add(duration);
    histogram.Add(histogram);
    EXPECT_EQ(histogram.count(), 2);
    EXPECT_EQ(histogram.Percentile(50), duration);
  }
  LatencyHistogram low;
  low.Add(absl::Nanoseconds(127));
  low.Add(absl::Nanoseconds(128));
  EXPECT_EQ(low.Percentile(50), absl::Nanoseconds(127));
  EXPECT_EQ(LatencyHistogram().Percentile(99), absl::ZeroDuration());
}

LoadOptions Calls(int callers, int64_t calls) {
  return {callers, absl::ZeroDuration(), absl::Hours(1), calls};
}

TEST(LoadTest, MakesAsManyCallsAsAreAskedFor) {
  std::atomic<int> calls = 0;
  std::atomic<unsigned> callers = 0;
  const auto ran = RunLoad(Calls(3, 100), [&](int caller) {
    ++calls;
    callers |= 1u << caller;
    return absl::OkStatus();
  });
  ASSERT_TRUE(ran.ok()) << ran.status();
  const LoadResult& load = *ran;
  EXPECT_EQ(calls, 100);
  EXPECT_EQ(callers & ~7u, 0u);
  EXPECT_EQ(load.latencies.count(), 100);
  EXPECT_EQ(load.num_errors(), 0);
  EXPECT_GT(load.elapsed, absl::ZeroDuration());
}

TEST(LoadTest, ErrorsAreCountedByCode) {
  std::atomic<int> calls = 0;
  const auto ran = RunLoad(Calls(2, 7), [&calls](int) {
    const int call = calls++;
    if (call == 2 || call == 4) return absl::UnavailableError("draining");
    if (call == 5) return absl::InternalError("a fault");
    return absl::OkStatus();
  });
  ASSERT_TRUE(ran.ok()) << ran.status();
  const LoadResult& load = *ran;
  EXPECT_EQ(load.latencies.count(), 4);
  EXPECT_THAT(load.errors,
              ElementsAre(Pair("INTERNAL", 1), Pair("UNAVAILABLE", 2)));
  EXPECT_EQ(load.num_errors(), 3);
}

TEST(LoadTest, CallsOfTheWarmUpAreNotCounted) {
  LoadOptions options = {1, absl::Milliseconds(20), absl::ZeroDuration(), {}};
  const auto call = [](int) { return absl::OkStatus(); };
  const auto none = RunLoad(options, call);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(none->latencies.count(), 0);
  EXPECT_EQ(none->elapsed, absl::ZeroDuration());
  options.duration = absl::Hours(1);
  options.max_calls = 5;
  const auto some = RunLoad(options, call);
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_EQ(some->latencies.count(), 5);
}

// The system refuses threads of stacks that no memory has.
TEST(LoadTest, ThreadsThatTheSystemRefusesAreAnError) {
  pthread_attr_t before, impossible;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  pthread_attr_init(&impossible);
  ASSERT_EQ(pthread_attr_setstacksize(&impossible, size_t{1} << 47), 0);
  std::atomic<int> calls = 0;
  const auto ran = RunLoad(Calls(2000, 1'000'000), [&](int) {
    if (calls++ == 0) pthread_setattr_default_np(&impossible);
    absl::SleepFor(absl::Milliseconds(1));  // or threads are slow to start
    return absl::OkStatus();
  });
  pthread_setattr_default_np(&before);
  pthread_attr_destroy(&before);
  pthread_attr_destroy(&impossible);
  EXPECT_GT(calls, 0);
  EXPECT_EQ(ran.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(ran.status().message()),
              testing::MatchesRegex("2000 callers: the system gives [0-9]+ "
                                    "threads: Resource temporarily "
                                    "unavailable"));
}

TEST(ProgressTest, TheLineSaysWhatIsKnown) {
  EXPECT_EQ(ProgressLine("server", 0, 64'000'000, absl::Seconds(3)),
            "server: waiting for the answer to 64.0 MB, 3 s");
  EXPECT_EQ(ProgressLine("x", 16'000'000, 64'000'000, absl::Seconds(3)),
            "x [#######.......................]  25% of 64.0 MB, 3 s");
  EXPECT_EQ(ProgressLine("x", 70, 64, absl::Seconds(3)),
            "x [##############################] 100% of 0.0 MB, 3 s");
  EXPECT_EQ(ProgressLine("x", 5, 0, absl::Seconds(3)),
            "x: waiting for the answer to 0.0 MB, 3 s");
}

TEST(ProgressTest, TheLineIsDrawnAndTakenAway) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::FILE* terminal = fdopen(ends[1], "w");
  std::string shown;
  char byte;
  {
    Progress progress(terminal, "server", 1'000'000, absl::ZeroDuration());
    while (shown.find(" s") == std::string::npos &&
           read(ends[0], &byte, 1) == 1) {
      shown += byte;
    }
  }
  EXPECT_EQ(shown, "\r\x1b[Kserver: waiting for the answer to 1.0 MB, 0 s");
  std::fclose(terminal);
  shown.clear();
  while (read(ends[0], &byte, 1) == 1) shown += byte;
  close(ends[0]);
  EXPECT_THAT(shown, testing::EndsWith("\r\x1b[K"));
}

// Ctrl-C in the middle: the shell's prompt begins a line.
TEST(ProgressTest, ASignalTakesTheLineAway) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EXIT(
      {
        HandleInterruptions();
        std::FILE* terminal = fdopen(ends[1], "w");
        Progress progress(terminal, "server", 1'000'000, absl::ZeroDuration());
        char shown[4096];
        // At the second line the first is known to be drawn.
        for (int lines = 0; lines < 2;) {
          const ssize_t count = read(ends[0], shown, sizeof(shown));
          lines += static_cast<int>(std::count(shown, shown + count, '\r'));
        }
        raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
  close(ends[1]);
  std::string shown;
  char byte;
  while (read(ends[0], &byte, 1) == 1) shown += byte;
  close(ends[0]);
  EXPECT_THAT(shown, testing::EndsWith("\r\x1b[K"));
}

TEST(ProgressTest, NothingIsDrawnElsewhere) {
  Progress progress(nullptr, "server", 1, absl::ZeroDuration());
  progress.Advance(1);
  progress.End();
  progress.End();
}

}  // namespace
}  // namespace stridecast
