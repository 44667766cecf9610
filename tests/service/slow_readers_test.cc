// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Who reads slowly while the server drains: of what the system has of a reply,
// and not the client, nothing may be lost.

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/service/http2_client.h"
#include "tests/service/service_testing.h"
#include "tests/support/http2_bytes.h"

namespace stridecast::testing {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

struct Pace {
  std::chrono::microseconds pause;  // before each piece
  size_t piece_bytes;
  int buffer_bytes = 0;  // of its socket; 0: as the system likes
};

// A client with the windows of a usual one, more than its socket's buffer, that
// says what it has read, and gives up where nobody hears it.
class SlowReader {
 public:
  SlowReader(TestServer& server, const Pace& pace)
      : pace_(pace), client_(server.server().addresses()[0]) {
    if (pace.buffer_bytes > 0) {
      EXPECT_EQ(setsockopt(client_.fd(), SOL_SOCKET, SO_RCVBUF,
                           &pace.buffer_bytes, sizeof(pace.buffer_bytes)),
                0);
    }
    Say(http2::Frame(http2::kSettings, 0, 0,
                     http2::BigEndian(http2::kInitialWindowSize, 2) +
                         http2::BigEndian(kMiB, 4)));
    Say(http2::Frame(http2::kWindowUpdate, 0, 0, http2::BigEndian(1 << 30, 4)));
  }

  void Start(uint32_t stream) {
    EXPECT_TRUE(client_.StartCall(stream, "Compute", "60S"));
  }
  void Ask(uint32_t stream, int64_t reply_bytes) {
    EXPECT_TRUE(client_.SendData(
        stream, http2::WithPrefix(IotaRequest(reply_bytes).SerializeAsString()),
        /*is_last=*/true));
  }
  void Cancel(uint32_t stream) {
    Say(http2::Frame(http2::kRstStream, 0, stream, http2::BigEndian(8, 4)));
  }

  // False at the end of the connection.
  bool ReadOn() {
    std::this_thread::sleep_for(pace_.pause);
    std::vector<char> bytes(pace_.piece_bytes);
    const ssize_t count =
        recv(client_.fd(), bytes.data(), bytes.size(), /*flags=*/0);
    if (count <= 0) return false;
    frames_.append(bytes.data(), static_cast<size_t>(count));
    bool is_heard = true;
    while (is_heard) {
      const absl::string_view frames = frames_;
      const size_t end = http2::WholeFrameBytes(frames);
      if (end == 0) break;
      is_heard =
          Note(static_cast<uint8_t>(frames[3]), static_cast<uint8_t>(frames[4]),
               http2::FromBigEndian(frames.substr(5, 4)),
               frames.substr(http2::kFrameHeaderBytes,
                             end - http2::kFrameHeaderBytes));
      frames_.erase(0, end);
    }
    return is_heard;
  }

  int64_t data_bytes(uint32_t stream) { return data_bytes_[stream]; }
  bool has_ended(uint32_t stream) const { return ended_.contains(stream); }
  bool was_told_to_leave() const { return was_told_to_leave_; }

 private:
  bool Say(const std::string& frame) {
    return send(client_.fd(), frame.data(), frame.size(), MSG_NOSIGNAL) > 0;
  }
  bool Note(uint8_t type, uint8_t flags, uint32_t stream,
            absl::string_view payload) {
    if (type == http2::kPing && flags == 0) {
      return Say(http2::Frame(http2::kPing, http2::kAck, 0, payload));
    }
    if (type == http2::kData) {
      data_bytes_[stream] += static_cast<int64_t>(payload.size());
      return payload.empty() ||
             Say(http2::Frame(http2::kWindowUpdate, 0, stream,
                              http2::BigEndian(payload.size(), 4)));
    }
    if (type == http2::kHeaders && (flags & http2::kEndStream) != 0) {
      ended_.insert(stream);
    }
    was_told_to_leave_ |= type == http2::kGoAway;
    return true;
  }

  const Pace pace_;
  Http2Client client_;
  std::string frames_;  // what is not whole yet
  std::map<uint32_t, int64_t> data_bytes_;
  std::set<uint32_t> ended_;
  bool was_told_to_leave_ = false;
};

class SlowReadersTest : public ::testing::Test {
 protected:
  static constexpr int64_t kReplyBytes = 40'000'000;
  // 40 MB in two seconds.
  static constexpr Pace kSteady = {
      .pause = std::chrono::microseconds(2500),
      .piece_bytes = kMiB / 16,
      .buffer_bytes = 1 << 16,
  };

  SlowReadersTest() : server_(Options()) {}

  void Drain() {
    drain_ = std::jthread([this] { server_.server().Drain(); });
  }
  int64_t num_calls() { return server_.server().service().num_calls(); }
  int64_t num_held_ends() {
    return server_.server().service().environment().endings->num_held();
  }

  TestServer server_;
  std::jthread drain_;

 private:
  static ServerOptions Options() {
    ServerOptions options = TestOptions();
    options.max_inflight_bytes = 3 * kReplyBytes;
    options.drain_delay_seconds = 0;
    options.drain_deadline_seconds = 30;
    return options;
  }
};

TEST_F(SlowReadersTest, AReplyThatHasBegunOutlivesTheDrain) {
  SlowReader reader(server_, kSteady);
  reader.Start(1);
  reader.Ask(1, kReplyBytes);
  while (reader.ReadOn()) {
    if (reader.data_bytes(1) > kReplyBytes / 10 && !drain_.joinable()) Drain();
  }
  EXPECT_GE(reader.data_bytes(1), kReplyBytes);
  EXPECT_TRUE(reader.has_ended(1));
}

TEST_F(SlowReadersTest, TheTailOfACallThatHasEndedOutlivesTheDrain) {
  SlowReader reader(server_, kSteady);
  reader.Start(1);
  reader.Ask(1, kReplyBytes);
  while (reader.ReadOn()) {
    if (num_calls() > 0 || drain_.joinable()) continue;
    EXPECT_LT(reader.data_bytes(1), kReplyBytes);
    Drain();
  }
  EXPECT_GE(reader.data_bytes(1), kReplyBytes);
  EXPECT_TRUE(reader.has_ended(1));
}

// The end of the reply is with its system long before it reads that.
TEST_F(SlowReadersTest, WhoReadsInBurstsLosesNothing) {
  constexpr int64_t kBytes = 400'000;
  SlowReader reader(server_, {.pause = std::chrono::milliseconds(100),
                              .piece_bytes = 20'000});
  reader.Start(1);
  ASSERT_TRUE(WaitUntil([this] { return num_calls() == 1; }));
  Drain();
  while (!reader.was_told_to_leave()) ASSERT_TRUE(reader.ReadOn());
  reader.Ask(1, kBytes);
  while (reader.ReadOn()) {
  }
  EXPECT_GE(reader.data_bytes(1), kBytes);
  EXPECT_TRUE(reader.has_ended(1));
}

// That keeps the connection, for as long as its caller likes.
TEST_F(SlowReadersTest, ASmallReplyOutlivesTheGreatOneBesideIt) {
  constexpr int64_t kSmallBytes = 80'000;
  SlowReader reader(server_, kSteady);
  reader.Start(1);
  reader.Ask(1, kReplyBytes);
  reader.Start(3);
  while (num_calls() < 2 || reader.data_bytes(1) < kMiB) {
    ASSERT_TRUE(reader.ReadOn());
  }
  Drain();
  while (!reader.was_told_to_leave()) ASSERT_TRUE(reader.ReadOn());
  reader.Ask(3, kSmallBytes);
  ASSERT_TRUE(WaitUntil([this] { return num_held_ends() == 1; }));
  reader.Cancel(1);
  const int64_t read_bytes = reader.data_bytes(1);
  while (reader.data_bytes(3) == 0 && reader.ReadOn()) {
  }
  EXPECT_GT(reader.data_bytes(1), read_bytes);  // which came first
  while (reader.ReadOn()) {
  }
  EXPECT_GE(reader.data_bytes(3), kSmallBytes);
  EXPECT_TRUE(reader.has_ended(3));
}

}  // namespace
}  // namespace stridecast::testing
