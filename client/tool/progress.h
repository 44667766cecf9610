// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A line on the terminal while something takes long, taken away when it ends.
// What a unary call has sent and received cannot be seen from outside gRPC: for
// one, only the time passes. Who knows how far it is, as a stream does, says so
// with Advance, and the line becomes a bar.

#ifndef STRIDECAST_CLIENT_TOOL_PROGRESS_H_
#define STRIDECAST_CLIENT_TOOL_PROGRESS_H_

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace stridecast {

// What is shorter is over before a line could be read.
inline constexpr absl::Duration kProgressPatience = absl::Seconds(1);

// Back to the first column, and all behind it away.
inline constexpr char kClearLine[] = "\r\x1b[K";

// Standard error if it is a terminal, else null.
std::FILE* TerminalForProgress();

// The line: a bar if done_bytes > 0, else what is waited for and how long.
std::string ProgressLine(const std::string& what, int64_t done_bytes,
                         int64_t total_bytes, absl::Duration elapsed);

class Progress {
 public:
  // Draws on `terminal` after `patience`; never if that is null.
  Progress(std::FILE* terminal, std::string what, int64_t total_bytes,
           absl::Duration patience = kProgressPatience);
  ~Progress() { End(); }

  // Thread-safe.
  void Advance(int64_t bytes) { done_bytes_ += bytes; }

  // Takes the line away; nothing is drawn after it. May be called again.
  void End();

 private:
  void Draw() const;

  std::FILE* const terminal_;
  const std::string what_;
  const int64_t total_bytes_;
  const absl::Duration patience_;
  const absl::Time start_;
  std::atomic<int64_t> done_bytes_ = 0;
  absl::Notification ended_;
  std::thread drawer_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_PROGRESS_H_
