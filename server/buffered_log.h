// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The log on stderr, written by a thread of its own: a line of each call costs
// its caller no system call.
// Rules:
//   (L1) lines appear whole, in order, at most kMaxDelay after they were made;
//        warnings, errors and what flush() is called after at once
//   (L2) nobody but that thread waits for a reader that does not read. Lines
//        for which there is no room then are lost, and counted in the log
//   (L3) else nothing is lost when the process ends by itself; of one that is
//        killed the last kMaxDelay may be

#ifndef STRIDECAST_SERVER_BUFFERED_LOG_H_
#define STRIDECAST_SERVER_BUFFERED_LOG_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
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
  void Run(const std::stop_token& stop);
  // Of lines that were lost; empty if none was. With the mutex.
  std::string TakeLoss();

  // Under base_sink's mutex.
  std::string lines_;
  int64_t num_lost_ = 0;
  bool is_urgent_ = false;

  std::condition_variable_any urgent_;
  std::jthread writer_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_BUFFERED_LOG_H_
