// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A file descriptor that is closed with its owner.

#ifndef STRIDECAST_SERVER_OWNED_FD_H_
#define STRIDECAST_SERVER_OWNED_FD_H_

#include <unistd.h>

#include <utility>

namespace stridecast {

class OwnedFd {
 public:
  OwnedFd() = default;  // of nothing
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(other.Release()) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = other.Release();
    }
    return *this;
  }
  ~OwnedFd() { Close(); }

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_OWNED_FD_H_
