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

absl::Status CannotListen(absl::string_view path, absl::string_view why) {
  return absl::UnavailableError(
      absl::StrCat("cannot listen on unix:", path, ": ", why));
}

// Why the socket there may not be replaced; nothing of one that is left behind.
std::optional<std::string> WhyTaken(const std::string& path) {
  sockaddr_un socket_address{};
  socket_address.sun_family = AF_UNIX;
  std::memcpy(socket_address.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return std::strerror(errno);
  const int result =
      connect(fd, reinterpret_cast<const sockaddr*>(&socket_address),
              sizeof(socket_address));
  const int error = result == 0 ? 0 : errno;
  close(fd);
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
    return CannotListen(path, "a file that is no socket has that path");
  }
  const std::optional<std::string> why = WhyTaken(path);
  return why ? CannotListen(path, *why) : absl::OkStatus();
}

bool IsEmpty(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0;
}

bool IsSameFile(int fd, const std::string& path) {
  struct stat opened;
  struct stat named;
  return fstat(fd, &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

absl::StatusOr<SocketClaim> SocketClaim::Take(absl::string_view path) {
  const std::string lock_path = absl::StrCat(path, ".lock");
  // Who had the lock may remove its file after we opened it; a few of them.
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int fd = open(lock_path.c_str(),
                        O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
      return CannotListen(path,
                          absl::StrCat(lock_path, ": ", std::strerror(errno)));
    }
    SocketClaim claim(lock_path, fd);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
      close(std::exchange(claim.fd_, -1));  // the file is another's
      return CannotListen(path, "another server is using it");
    }
    if (!IsSameFile(fd, lock_path)) {
      close(std::exchange(claim.fd_, -1));
      continue;
    }
    if (!IsEmpty(fd)) {
      close(std::exchange(claim.fd_, -1));
      return CannotListen(
          path, absl::StrCat(lock_path, ": a file of others, no lock"));
    }
    RETURN_IF_ERROR(CheckPathIsFree(std::string(path)));
    return claim;
  }
  return CannotListen(path, "other servers come and go");
}

absl::Mutex ScopedFileMode::mutex_(absl::kConstInit);

SocketClaim::SocketClaim(SocketClaim&& other) noexcept
    : lock_path_(std::move(other.lock_path_)),
      fd_(std::exchange(other.fd_, -1)) {}

SocketClaim::~SocketClaim() {
  if (fd_ < 0) return;
  // While nobody else can have it; it may have been removed and made anew.
  if (IsSameFile(fd_, lock_path_)) unlink(lock_path_.c_str());
  close(fd_);
}

}  // namespace stridecast
