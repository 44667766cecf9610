// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/progress.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "client/tool/interruption.h"

namespace stridecast {
namespace {

constexpr absl::Duration kRedraw = absl::Milliseconds(200);
constexpr int kBarWidth = 30;

double Megabytes(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

}  // namespace

std::FILE* TerminalForProgress() {
  return isatty(STDERR_FILENO) == 1 ? stderr : nullptr;
}

std::string ProgressLine(const std::string& what, int64_t done_bytes,
                         int64_t total_bytes, absl::Duration elapsed) {
  const double seconds = absl::ToDoubleSeconds(elapsed);
  if (done_bytes == 0 || total_bytes <= 0) {
    return absl::StrFormat("%s: waiting for the answer to %.1f MB, %.0f s",
                           what, Megabytes(total_bytes), seconds);
  }
  const double part = std::min(
      1.0, static_cast<double>(done_bytes) / static_cast<double>(total_bytes));
  std::string bar(static_cast<size_t>(part * kBarWidth), '#');
  bar.resize(kBarWidth, '.');
  return absl::StrFormat("%s [%s] %3.0f%% of %.1f MB, %.0f s", what, bar,
                         part * 100, Megabytes(total_bytes), seconds);
}

Progress::Progress(std::FILE* terminal, std::string what, int64_t total_bytes,
                   absl::Duration patience)
    : terminal_(terminal),
      what_(std::move(what)),
      total_bytes_(total_bytes),
      patience_(patience),
      start_(absl::Now()) {
  if (terminal_ != nullptr) drawer_ = std::thread([this] { Draw(); });
}

void Progress::End() {
  if (!drawer_.joinable()) return;
  ended_.Notify();
  drawer_.join();
}

void Progress::Draw() const {
  if (ended_.WaitForNotificationWithTimeout(patience_)) return;
  do {
    const std::string line =
        ProgressLine(what_, done_bytes_, total_bytes_, absl::Now() - start_);
    std::fprintf(terminal_, "%s%s", kClearLine, line.c_str());
    std::fflush(terminal_);
    NoteDrawnLine(fileno(terminal_));
  } while (!ended_.WaitForNotificationWithTimeout(kRedraw));
  NoteDrawnLine(-1);
  std::fputs(kClearLine, terminal_);
  std::fflush(terminal_);
}

}  // namespace stridecast
