// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/unix_socket.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

absl::Status Taken(absl::string_view why) {
  return absl::UnavailableError(why);
}

// Why the socket there may not be replaced; nothing of one that is left behind.
std::optional<std::string> WhyTaken(const std::string& path) {
  sockaddr_un socket_address{};
  socket_address.sun_family = AF_UNIX;
  std::memcpy(socket_address.sun_path, path.data(), path.size());
  const OwnedFd fd(
      socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.is_open()) return std::strerror(errno);
  const int result =
      connect(fd.get(), reinterpret_cast<const sockaddr*>(&socket_address),
              sizeof(socket_address));
  const int error = result == 0 ? 0 : errno;
  if (error == ECONNREFUSED || error == ENOENT) return std::nullopt;
  // A server with a full backlog answers EAGAIN.
  if (error == 0 || error == EAGAIN) return "another server is using it";
  return absl::StrCat("the socket there is not ours: ", std::strerror(error));
}

// Also of programs that know no lock.
absl::Status CheckPathIsFree(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return absl::OkStatus();
  if (!S_ISSOCK(info.st_mode)) {
    return Taken("a file that is no socket has that path");
  }
  const std::optional<std::string> why = WhyTaken(path);
  return why ? Taken(*why) : absl::OkStatus();
}

bool IsEmpty(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0;
}

}  // namespace

std::optional<FileId> FileIdOf(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) return std::nullopt;
  return FileId(info);
}

std::optional<FileId> FileIdOf(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return std::nullopt;
  return FileId(info);
}

absl::StatusOr<SocketClaim> SocketClaim::Take(absl::string_view path) {
  const std::string lock_path = absl::StrCat(path, ".lock");
  // Who had the lock may remove its file after we opened it; a few of them.
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    OwnedFd lock(open(lock_path.c_str(),
                      O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock.is_open()) {
      return Taken(absl::StrCat(lock_path, ": ", std::strerror(errno)));
    }
    if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
      return Taken("another server is using it");
    }
    if (FileIdOf(lock.get()) != FileIdOf(lock_path)) continue;
    if (!IsEmpty(lock.get())) {
      return Taken(absl::StrCat(lock_path, ": a file of others, no lock"));
    }
    SocketClaim claim(path, lock_path, std::move(lock));
    RETURN_IF_ERROR(CheckPathIsFree(claim.path_));
    return claim;
  }
  return Taken("other servers come and go");
}

SocketClaim::SocketClaim(SocketClaim&& other) noexcept
    : path_(std::move(other.path_)),
      lock_path_(std::move(other.lock_path_)),
      lock_(std::move(other.lock_)),
      socket_(std::exchange(other.socket_, std::nullopt)) {}

void SocketClaim::OwnSocketFile() { socket_ = FileIdOf(path_); }

SocketClaim::~SocketClaim() {
  if (!lock_.is_open()) return;
  // What was removed and made anew is another's.
  if (socket_.has_value() && FileIdOf(path_) == socket_) unlink(path_.c_str());
  // While nobody else can have it.
  if (FileIdOf(lock_.get()) == FileIdOf(lock_path_)) unlink(lock_path_.c_str());
}

}  // namespace stridecast
