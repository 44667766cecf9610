// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the process leaves behind when it does not get to its end: by Ctrl-C and
// other signals, by an input file that shrinks while it is mapped (SIGBUS), for
// want of memory in a thread of a library.
// Rule: what signal handlers read is atomic, and they call only what POSIX
// allows there.

#ifndef STRIDECAST_CLIENT_TOOL_INTERRUPTION_H_
#define STRIDECAST_CLIENT_TOOL_INTERRUPTION_H_

#include <cstddef>
#include <memory>
#include <string>

namespace stridecast {

// From here on SIGINT, SIGTERM and SIGHUP (unless ignored) still end the
// process, but first take away temporary files and the line of progress. A file
// that is too large is an error of write(2), no signal.
void HandleInterruptions();

// A temporary file that exists: removed if a signal ends the process while this
// object lives. Moved from, it knows no file.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  const std::string& path() const { return *path_; }

 private:
  std::unique_ptr<std::string> path_;  // signal handlers read its characters
  size_t slot_;
};

// A line is drawn on the terminal with that descriptor; -1: no more.
void NoteDrawnLine(int terminal);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_INTERRUPTION_H_
