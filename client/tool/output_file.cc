// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace stridecast {
namespace {

constexpr mode_t kNewFile = 0666;  // less the umask
constexpr mode_t kPermissions = 07777;

// The name without symbolic links; empty if it leads nowhere.
std::string Resolved(const std::string& path) {
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, Free> real(realpath(path.c_str(), nullptr));
  return real == nullptr ? "" : real.get();
}

// What stands for something else than its name: /dev/stdout is a symbolic link
// to a file that was opened long ago.
bool IsDevice(const std::string& path) {
  return absl::StartsWith(path, "/dev/") || absl::StartsWith(path, "/proc/");
}

// A file that did not exist, beside `target`, and its descriptor; -1 if there
// can be none (errno).
int CreateBeside(const std::string& target, std::string& temporary) {
  const size_t slash = target.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "" : target.substr(0, slash + 1);
  for (int i = 0;; ++i) {
    temporary = absl::StrCat(folder, ".stridecast-", getpid(), "-", i, ".part");
    const int descriptor = open(
        temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFile);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
}

int OpenInPlace(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kNewFile);
}

}  // namespace

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path) {
  if (path == "-") {
    OutputFile file("standard output", dup(STDOUT_FILENO));
    if (file.descriptor_ < 0) return file.Error();
    return file;
  }
  OutputFile file(path, -1);
  struct stat link = {};
  struct stat old = {};
  const bool exists = stat(path.c_str(), &old) == 0;
  const bool is_lost_link = !exists && lstat(path.c_str(), &link) == 0;
  const bool is_replaced =
      !IsDevice(path) && !is_lost_link && (!exists || S_ISREG(old.st_mode));
  // What may not be written may not be replaced either.
  if (exists && access(path.c_str(), W_OK) != 0) return file.Error();
  if (is_replaced) {
    file.target_ = exists ? Resolved(path) : path;
    std::string temporary;
    file.descriptor_ = CreateBeside(file.target_, temporary);
    if (file.descriptor_ >= 0) {
      file.temporary_.emplace(std::move(temporary));
      // Of somebody else's file they may be refused; then umask decides.
      if (exists) (void)!fchmod(file.descriptor_, old.st_mode & kPermissions);
      return file;
    }
    if (!exists) return file.Error();
  }
  file.descriptor_ = OpenInPlace(path);
  if (file.descriptor_ < 0) return file.Error();
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : shown_(std::move(other.shown_)),
      target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {
  other.temporary_.reset();
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (temporary_) unlink(temporary_->path().c_str());
}

absl::Status OutputFile::Error() const {
  return absl::ErrnoToStatus(errno, shown_);
}

absl::Status OutputFile::Write(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR) {
      return Error();
    }
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Commit() {
  // Some file systems say only now that there is no room.
  if (close(std::exchange(descriptor_, -1)) != 0) return Error();
  if (!temporary_) return absl::OkStatus();
  if (std::rename(temporary_->path().c_str(), target_.c_str()) != 0) {
    return Error();
  }
  temporary_.reset();
  return absl::OkStatus();
}

}  // namespace stridecast
