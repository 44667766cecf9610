// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/buffered_log.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "server/periodic_thread.h"

namespace stridecast {
namespace {

// Past this the caller writes: a burst must not grow without bound.
constexpr size_t kMaxBufferedBytes = size_t{64} << 10;

}  // namespace

BufferedStderr::BufferedStderr()
    : flusher_(RunEvery(kMaxDelay, [this] { flush(); })) {}

BufferedStderr::~BufferedStderr() {
  flusher_ = {};  // flushes once more
}

void BufferedStderr::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  lines_.append(line.data(), line.size());
  if (message.level >= spdlog::level::warn ||
      lines_.size() > kMaxBufferedBytes) {
    flush_();
  }
}

void BufferedStderr::flush_() {
  std::string_view left = lines_;
  while (!left.empty()) {
    const ssize_t written = write(STDERR_FILENO, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;  // nobody reads: there is nowhere to say so
    left.remove_prefix(static_cast<size_t>(written));
  }
  lines_.clear();
}

}  // namespace stridecast
