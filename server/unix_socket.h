// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Paths of Unix sockets: a second server must not take that of a first one,
// which would go on and never be asked again.

#ifndef STRIDECAST_SERVER_UNIX_SOCKET_H_
#define STRIDECAST_SERVER_UNIX_SOCKET_H_

#include <sys/stat.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/owned_fd.h"

namespace stridecast {

// Tells files, and sockets, apart as long as they are open or named.
struct FileId {
  dev_t device;
  ino_t inode;

  explicit FileId(const struct stat& info)
      : device(info.st_dev), inode(info.st_ino) {}
  bool operator==(const FileId&) const = default;
};

// Nothing if there is no such.
std::optional<FileId> FileIdOf(int fd);
std::optional<FileId> FileIdOf(const std::string& path);

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
  ~SocketClaim();  // removes the lock's file, and the socket's if it owns it

  // Of the socket that now has the path.
  void OwnSocketFile();

 private:
  SocketClaim(absl::string_view path, std::string lock_path, OwnedFd lock)
      : path_(path), lock_path_(std::move(lock_path)), lock_(std::move(lock)) {}

  std::string path_;
  std::string lock_path_;
  OwnedFd lock_;  // of nothing: moved from
  std::optional<FileId> socket_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_UNIX_SOCKET_H_
