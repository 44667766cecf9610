// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Unix sockets in the file system. gRPC unlinks whatever socket has the path
// before it binds, so that a second server would take it from a first one that
// goes on and is never asked again.

#ifndef STRIDECAST_SERVER_UNIX_SOCKET_H_
#define STRIDECAST_SERVER_UNIX_SOCKET_H_

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace stridecast {

// The right to serve a socket's path, as long as it lives. It is a lock on the
// file PATH.lock, which the kernel lets go of when a process dies.
class SocketClaim {
 public:
  // Of an absolute path. A socket file that nobody serves any more is fine.
  // Errors: kUnavailable if another server has the path, if it is no socket's,
  // or if the lock cannot be made.
  static absl::StatusOr<SocketClaim> Take(absl::string_view path);

  SocketClaim(SocketClaim&& other) noexcept;
  SocketClaim& operator=(SocketClaim&&) = delete;
  ~SocketClaim();  // removes the lock's file

 private:
  SocketClaim(std::string lock_path, int fd)
      : lock_path_(std::move(lock_path)), fd_(fd) {}

  std::string lock_path_;
  int fd_;  // -1: moved from
};

// While it lives, sockets and files that this process makes have the
// permissions of `mode`, whatever its umask is. Of the whole process, one at a
// time.
class ScopedFileMode {
 public:
  explicit ScopedFileMode(int64_t mode)
      : lock_(&mutex_), before_(umask(static_cast<mode_t>(0777 & ~mode))) {}
  ~ScopedFileMode() { umask(before_); }
  ScopedFileMode(const ScopedFileMode&) = delete;
  ScopedFileMode& operator=(const ScopedFileMode&) = delete;

 private:
  static absl::Mutex mutex_;
  absl::MutexLock lock_;
  const mode_t before_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_UNIX_SOCKET_H_
