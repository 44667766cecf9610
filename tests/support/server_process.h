// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A program that a test or benchmark starts, listens to and ends. It is
// signalled by its process id alone, and killed at the latest when its object
// ends.

#ifndef STRIDECAST_TESTS_SUPPORT_SERVER_PROCESS_H_
#define STRIDECAST_TESTS_SUPPORT_SERVER_PROCESS_H_

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace stridecast::testing {

class ServerProcess {
 public:
  struct Settings {
    int64_t address_space_bytes = 0;     // Its limit; 0: none.
    int64_t open_files = 0;              // Likewise.
    std::vector<std::string> variables;  // "NAME=value"
  };

  // Starts `program` with those arguments, and with this process's environment
  // without what it says to a server.
  ServerProcess(const std::string& program,
                const std::vector<std::string>& arguments,
                const Settings& settings);
  ServerProcess(const std::string& program,
                const std::vector<std::string>& arguments)
      : ServerProcess(program, arguments, Settings{}) {}
  ~ServerProcess();

  // Not after its end.
  pid_t pid() const { return pid_; }
  void Signal(int signal) const;

  // The exit code, 128 + signal if one ended it; none if it still runs after
  // thirty seconds.
  std::optional<int> WaitForExit();

  // The first address that the start line says it serves; empty if there is no
  // such line within thirty seconds.
  std::string WaitForAddress();
  bool WaitForError(const std::string& text);

  // All that it wrote so far.
  std::string out() const;
  std::string err() const;

 private:
  struct Stream {
    int fd = -1;
    std::string text;
    std::thread reader;
  };
  void StartReading(Stream& stream, int fd);

  pid_t pid_ = -1;
  std::optional<int> exit_code_;
  mutable std::mutex mutex_;  // of both texts
  std::condition_variable grown_;
  Stream out_;
  Stream err_;
};

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_SERVER_PROCESS_H_
