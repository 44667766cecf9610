// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The log on stderr, written by a thread of its own: a line of each call costs
// its caller no system call.
// Rules:
//   (L1) lines appear whole, in order, at most kMaxDelay after they were made;
//        warnings, errors and what flush() is called after at once
//   (L2) nothing is lost when the process ends by itself; of one that is killed
//        the last kMaxDelay may be

#ifndef STRIDECAST_SERVER_BUFFERED_LOG_H_
#define STRIDECAST_SERVER_BUFFERED_LOG_H_

#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "spdlog/sinks/base_sink.h"

namespace stridecast {

class BufferedStderr final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  static constexpr std::chrono::milliseconds kMaxDelay{50};

  BufferedStderr();
  ~BufferedStderr() override;

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override;

 private:
  std::string lines_;  // under base_sink's mutex
  std::jthread flusher_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_BUFFERED_LOG_H_
