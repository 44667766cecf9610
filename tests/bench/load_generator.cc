// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/load_generator.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/listen_address.h"
#include "server/owned_fd.h"
#include "tests/bench/fail.h"
#include "tests/support/http2_bytes.h"

namespace stridecast::bench {
namespace {

namespace http2 = testing::http2;

constexpr size_t kFrameBytes = 16'384;  // whoever wants more says so
constexpr int64_t kFirstWindow = 65'535;

// Wide: replies never wait for us. Given again when half of it is used.
constexpr int64_t kOwnWindow = int64_t{1} << 30;
// Written at a time.
constexpr size_t kBatchBytes = 64 << 10;
constexpr size_t kReadBytes = 256 << 10;
// Calls begun before others are heard again.
constexpr int kMaxAtOnce = 32;

// Of trailers, which use no dynamic table; -1 in other headers.
int StatusIn(absl::string_view block) {
  constexpr absl::string_view kName = "grpc-status";
  const size_t at = block.find(kName);
  if (at == absl::string_view::npos) return -1;
  absl::string_view value = block.substr(at + kName.size());
  const auto length = static_cast<size_t>(value.empty() ? 0 : value[0]);
  int code;
  return absl::SimpleAtoi(
             value.substr(std::min<size_t>(1, value.size()), length), &code)
             ? code
             : -1;
}

}  // namespace

class LoadGenerator::Connection {
 public:
  Connection(const std::string& address, const std::string& headers,
             const std::string& body)
      : headers_(headers), body_(body), fd_(Connect(address)) {
    out_ = absl::StrCat(
        http2::kPreface,
        http2::Frame(
            http2::kSettings, 0, 0,
            absl::StrCat(http2::BigEndian(http2::kHeaderTableSize, 2),
                         http2::BigEndian(0, 4),
                         http2::BigEndian(http2::kInitialWindowSize, 2),
                         http2::BigEndian(kOwnWindow, 4))),
        http2::Frame(http2::kWindowUpdate, 0, 0,
                     http2::BigEndian(kOwnWindow, 4)));
  }

  int fd() const { return fd_.get(); }
  size_t num_in_flight() const { return streams_.size(); }
  int64_t sent_bytes() const { return sent_bytes_; }

  void Begin() {
    const uint32_t id = next_stream_;
    next_stream_ += 2;
    Stream& stream = streams_[id];
    stream.began = Clock::now();
    stream.window = stream_window_;
    Control(http2::Frame(http2::kHeaders, http2::kEndHeaders, id, headers_));
    List(id, stream);
  }

  // Whether there is something that may be sent.
  bool HasOutput() const {
    return out_at_ < out_.size() || !control_.empty() ||
           (!with_data_.empty() && window_ > 0);
  }

  // A batch, as far as the socket takes it: others have their turn.
  void Write() {
    if (out_at_ == out_.size()) {
      out_.clear();
      out_at_ = 0;
      Fill();
      if (out_.empty()) return;
    }
    const ssize_t count =
        send(fd(), out_.data() + out_at_, out_.size() - out_at_, MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN) Fail("a connection is lost");
    if (count < 0) return;
    out_at_ += static_cast<size_t>(count);
    sent_bytes_ += count;
  }

  // What is there, up to a buffer full.
  void Read(std::vector<Outcome>& outcomes) {
    thread_local std::array<char, kReadBytes> buffer;
    const ssize_t count = recv(fd(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) Fail("a connection is lost");
    absl::string_view bytes(buffer.data(), static_cast<size_t>(count));
    while (!bytes.empty()) {
      if (to_skip_ > 0) {  // what a frame of data holds
        const size_t skipped = std::min(to_skip_, bytes.size());
        to_skip_ -= skipped;
        bytes.remove_prefix(skipped);
        continue;
      }
      const size_t wanted = in_.size() < http2::kFrameHeaderBytes
                                ? http2::kFrameHeaderBytes
                                : http2::kFrameHeaderBytes + PayloadBytes();
      const size_t taken = std::min(wanted - in_.size(), bytes.size());
      in_.append(bytes.data(), taken);
      bytes.remove_prefix(taken);
      if (in_.size() < http2::kFrameHeaderBytes) continue;
      if (in_[3] == http2::kData) {
        to_skip_ = PayloadBytes();
        UseWindow(static_cast<int64_t>(to_skip_));
      } else if (in_.size() < http2::kFrameHeaderBytes + PayloadBytes()) {
        continue;
      }
      Handle(outcomes);
      in_.clear();
    }
  }

 private:
  struct Stream {
    Clock::time_point began;
    size_t sent = 0;
    int64_t window = 0;
    bool is_listed = false;
    int code = -1;
  };

  static OwnedFd Connect(const std::string& address) {
    const HostPort parts = SplitHostPort(address);
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = htons(static_cast<uint16_t>(parts.port));
    OwnedFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (inet_pton(AF_INET, parts.host.c_str(), &target.sin_addr) != 1 ||
        connect(fd.get(), reinterpret_cast<sockaddr*>(&target),
                sizeof(target)) != 0 ||
        fcntl(fd.get(), F_SETFL, O_NONBLOCK) != 0) {
      Fail("no connection to " + address);
    }
    return fd;
  }

  size_t PayloadBytes() const {
    return http2::FromBigEndian(absl::string_view(in_).substr(0, 3));
  }

  void Control(absl::string_view frame) { absl::StrAppend(&control_, frame); }

  // Headers and answers first, then a frame of each body by turns.
  void Fill() {
    out_.swap(control_);
    while (out_.size() < kBatchBytes && !with_data_.empty() && window_ > 0) {
      const uint32_t id = with_data_.front();
      with_data_.pop_front();
      const auto found = streams_.find(id);
      if (found == streams_.end()) continue;
      Stream& stream = found->second;
      stream.is_listed = false;
      if (stream.window <= 0) continue;  // it shrank
      const size_t count = std::min({body_.size() - stream.sent, kFrameBytes,
                                     static_cast<size_t>(window_),
                                     static_cast<size_t>(stream.window)});
      const bool is_last = stream.sent + count == body_.size();
      absl::StrAppend(&out_,
                      http2::FrameHeader(count, http2::kData,
                                         is_last ? http2::kEndStream : 0, id),
                      absl::string_view(body_).substr(stream.sent, count));
      stream.sent += count;
      stream.window -= static_cast<int64_t>(count);
      window_ -= static_cast<int64_t>(count);
      if (!is_last) List(id, stream);
    }
  }

  void UseWindow(int64_t bytes) {
    used_ += bytes;
    if (used_ < kOwnWindow / 2) return;
    Control(http2::Frame(
        http2::kWindowUpdate, 0, 0,
        http2::BigEndian(static_cast<uint64_t>(std::exchange(used_, 0)), 4)));
  }

  void Handle(std::vector<Outcome>& outcomes) {
    const absl::string_view frame = in_;
    const auto type = static_cast<uint8_t>(frame[3]);
    const auto flags = static_cast<uint8_t>(frame[4]);
    const uint32_t id = http2::FromBigEndian(frame.substr(5, 4)) & 0x7FFFFFFF;
    const absl::string_view payload = frame.substr(http2::kFrameHeaderBytes);
    switch (type) {
      case http2::kSettings:
        if (flags & http2::kAck) return;
        for (size_t at = 0; at + 6 <= payload.size(); at += 6) {
          if (http2::FromBigEndian(payload.substr(at, 2)) !=
              http2::kInitialWindowSize) {
            continue;
          }
          SetStreamWindow(http2::FromBigEndian(payload.substr(at + 2, 4)));
        }
        return Control(http2::Frame(http2::kSettings, http2::kAck, 0, ""));
      case http2::kPing:
        if (!(flags & http2::kAck))
          Control(http2::Frame(http2::kPing, http2::kAck, 0, payload));
        return;
      case http2::kWindowUpdate:
        return Widen(id, http2::FromBigEndian(payload));
      case http2::kGoAway:
        Fail("the server goes away");
      default:
        break;
    }
    const auto found = streams_.find(id);
    if (found == streams_.end()) return;
    Stream& stream = found->second;
    if (type == http2::kHeaders)
      stream.code = std::max(stream.code, StatusIn(payload));
    const bool is_reset = type == http2::kRstStream;
    if (!is_reset && !((type == http2::kHeaders || type == http2::kData) &&
                       (flags & http2::kEndStream))) {
      return;
    }
    if (!is_reset && stream.sent < body_.size()) {
      Control(http2::Frame(http2::kRstStream, 0, id, http2::BigEndian(0, 4)));
    }
    constexpr int kUnknown = 2;
    outcomes.push_back(
        {stream.began, Clock::now(), stream.code < 0 ? kUnknown : stream.code});
    streams_.erase(found);
  }

  void SetStreamWindow(int64_t window) {
    for (auto& [id, stream] : streams_) {
      stream.window += window - stream_window_;
      List(id, stream);
    }
    stream_window_ = window;
  }

  void Widen(uint32_t id, int64_t bytes) {
    if (id == 0) {
      window_ += bytes;
    } else if (const auto found = streams_.find(id); found != streams_.end()) {
      found->second.window += bytes;
      List(id, found->second);
    }
  }

  // It may send; once at a time.
  void List(uint32_t id, Stream& stream) {
    if (stream.is_listed || stream.window <= 0 || stream.sent == body_.size()) {
      return;
    }
    stream.is_listed = true;
    with_data_.push_back(id);
  }

  const std::string& headers_;
  const std::string& body_;
  const OwnedFd fd_;
  std::string out_;
  size_t out_at_ = 0;
  std::string control_;  // frames that go before data
  std::string in_;       // a frame that is not whole
  size_t to_skip_ = 0;
  int64_t window_ = kFirstWindow;
  int64_t stream_window_ = kFirstWindow;
  int64_t used_ = 0;  // of our window
  int64_t sent_bytes_ = 0;
  uint32_t next_stream_ = 1;
  absl::flat_hash_map<uint32_t, Stream> streams_;
  std::deque<uint32_t> with_data_;  // by turns
};

LoadGenerator::LoadGenerator(const std::string& address, int num_connections,
                             int streams_per_connection, const Request& request,
                             const Metadata& metadata,
                             std::chrono::seconds deadline)
    : streams_per_connection_(static_cast<size_t>(streams_per_connection)),
      headers_(absl::StrCat(
          http2::CallFields(request.method),
          http2::Field("grpc-timeout", absl::StrCat(deadline.count(), "S")))) {
  grpc::Slice message;
  if (!request.bytes.DumpToSingleSlice(&message).ok()) Fail("no memory");
  body_ = http2::WithPrefix(
      {reinterpret_cast<const char*>(message.begin()), message.size()});
  for (const auto& [name, value] : metadata)
    headers_ += http2::Field(name, value);
  for (int i = 0; i < num_connections; ++i) {
    connections_.push_back(
        std::make_unique<Connection>(address, headers_, body_));
  }
}

LoadGenerator::~LoadGenerator() = default;

int64_t LoadGenerator::sent_bytes() const {
  int64_t bytes = 0;
  for (const auto& connection : connections_) bytes += connection->sent_bytes();
  return bytes;
}

// On the next connection by turns that has a stream left.
bool LoadGenerator::Begin() {
  for (size_t i = 0; i < connections_.size(); ++i) {
    Connection& connection = *connections_[++next_ % connections_.size()];
    if (connection.num_in_flight() == streams_per_connection_) continue;
    connection.Begin();
    ++num_in_flight_;
    return true;
  }
  return false;
}

void LoadGenerator::Poll(int timeout_ms, std::vector<Outcome>& outcomes) {
  std::vector<pollfd> waiting;
  for (const auto& connection : connections_) {
    const int events = POLLIN | (connection->HasOutput() ? POLLOUT : 0);
    waiting.push_back({connection->fd(), static_cast<int16_t>(events), 0});
  }
  const size_t before = outcomes.size();
  if (poll(waiting.data(), waiting.size(), timeout_ms) <= 0) return;
  for (size_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i].revents & POLLOUT) connections_[i]->Write();
    if (waiting[i].revents & ~POLLOUT) connections_[i]->Read(outcomes);
  }
  num_in_flight_ -= static_cast<int64_t>(outcomes.size() - before);
}

std::vector<Outcome> LoadGenerator::Closed(int in_flight, Duration duration) {
  std::vector<Outcome> outcomes;
  const auto end = Clock::now() + duration;
  while (Clock::now() < end) {
    while (num_in_flight_ < in_flight && Begin()) {
    }
    Poll(1000, outcomes);
  }
  const std::vector<Outcome> last = Finish();
  outcomes.insert(outcomes.end(), last.begin(), last.end());
  return outcomes;
}

LoadGenerator::Open LoadGenerator::Offer(double rate, Duration duration) {
  Open open;
  const auto start = Clock::now();
  for (;;) {
    const Duration elapsed = Clock::now() - start;
    if (elapsed >= duration) return open;
    const auto num_due = static_cast<int64_t>(rate * elapsed.count());
    for (int i = 0; i < kMaxAtOnce && open.num_due < num_due; ++i) {
      ++open.num_due;
      if (!Begin()) ++open.num_held_back;
    }
    Poll(0, open.outcomes);
  }
}

std::vector<Outcome> LoadGenerator::Finish() {
  std::vector<Outcome> outcomes;
  while (num_in_flight_ > 0) Poll(1000, outcomes);
  return outcomes;
}

}  // namespace stridecast::bench
