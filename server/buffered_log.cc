// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/buffered_log.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace stridecast {
namespace {

using Clock = std::chrono::steady_clock;

// Past the first lines are written at once, past the second they are lost.
constexpr size_t kUrgentBytes = size_t{64} << 10;
constexpr size_t kMaxBufferedBytes = size_t{1} << 20;
constexpr int kPollMillis = 50;
// At the end of the process, for whoever does not read.
constexpr std::chrono::seconds kLastPatience(1);

// Waits for a reader, but not for long when asked to stop.
// Returns how many lines of `text` could not be written.
int64_t WriteToStderr(std::string_view text, const std::stop_token& stop) {
  std::optional<Clock::time_point> last;
  while (!text.empty()) {
    pollfd writable = {STDERR_FILENO, POLLOUT, 0};
    const int ready = poll(&writable, 1, kPollMillis);
    if (ready == 0 && stop.stop_requested()) {
      if (!last) last = Clock::now() + kLastPatience;
      if (Clock::now() >= *last) break;
    }
    if (ready <= 0) continue;
    // A pipe that is writable has room for that many.
    const ssize_t written = write(STDERR_FILENO, text.data(),
                                  std::min<size_t>(text.size(), PIPE_BUF));
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written <= 0) break;  // nobody reads, or the disk is full
    text.remove_prefix(static_cast<size_t>(written));
  }
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

BufferedStderr::BufferedStderr()
    : writer_([this](const std::stop_token& stop) { Run(stop); }) {}

BufferedStderr::~BufferedStderr() {
  writer_ = {};  // writes what is left
}

void BufferedStderr::sink_it_(const spdlog::details::log_msg& message) {
  if (lines_.size() >= kMaxBufferedBytes) {
    ++num_lost_;
    return;
  }
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  lines_.append(line.data(), line.size());
  if (message.level >= spdlog::level::warn || lines_.size() > kUrgentBytes) {
    flush_();
  }
}

void BufferedStderr::flush_() {
  is_urgent_ = true;
  urgent_.notify_one();
}

void BufferedStderr::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  do {
    urgent_.wait_for(lock, stop, kMaxDelay, [this] { return is_urgent_; });
    is_urgent_ = false;
    const std::string lines = std::exchange(lines_, {}) + TakeLoss();
    lock.unlock();
    const int64_t num_unwritten = WriteToStderr(lines, stop);
    lock.lock();
    num_lost_ += num_unwritten;
  } while (!stop.stop_requested() || !lines_.empty());
}

std::string BufferedStderr::TakeLoss() {
  if (num_lost_ == 0) return "";
  const std::string text =
      absl::StrCat(std::exchange(num_lost_, 0),
                   " lines of the log were lost: nobody read it");
  spdlog::memory_buf_t line;
  formatter_->format(
      spdlog::details::log_msg("stridecast", spdlog::level::warn, text), line);
  return std::string(line.data(), line.size());
}

}  // namespace stridecast
