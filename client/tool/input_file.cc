// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/input_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 16;

absl::Status ReadToEnd(int descriptor, std::string& bytes) {
  char block[kBlockBytes];
  for (;;) {
    const ssize_t count = read(descriptor, block, sizeof(block));
    if (count == 0) return absl::OkStatus();
    if (count > 0) {
      bytes.append(block, static_cast<size_t>(count));
    } else if (errno != EINTR) {
      return absl::ErrnoToStatus(errno, "cannot read");
    }
  }
}

}  // namespace

absl::StatusOr<InputFile> InputFile::Open(const std::string& path) {
  const bool is_pipe = path == "-";
  const int descriptor =
      is_pipe ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, path);
  const absl::Cleanup close_file = [&] {
    if (!is_pipe) close(descriptor);
  };
  InputFile file;
  const absl::Status loaded = file.Load(descriptor);
  if (loaded.ok()) return file;
  return PrefixField(absl::StrCat(is_pipe ? "standard input" : path, ": "),
                     loaded);
}

absl::Status InputFile::Load(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) {
    return absl::ErrnoToStatus(errno, "cannot read");
  }
  // Files of /proc say that they are empty, and are not.
  if (!S_ISREG(status.st_mode) || status.st_size == 0) {
    return ReadToEnd(descriptor, read_);
  }
  mapped_bytes_ = static_cast<size_t>(status.st_size);
  void* const mapped =
      mmap(nullptr, mapped_bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot map ", mapped_bytes_, " bytes"));
  }
  mapped_ = mapped;
  // A shell may have read the first lines of a redirected file.
  const off_t position = lseek(descriptor, 0, SEEK_CUR);
  begin_ = std::min(static_cast<size_t>(std::max<off_t>(position, 0)),
                    mapped_bytes_);
  return absl::OkStatus();
}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(read_, other.read_);
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  std::swap(begin_, other.begin_);
  return *this;
}

InputFile::~InputFile() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_bytes_);
}

absl::string_view InputFile::bytes() const {
  if (mapped_ == nullptr) return read_;
  return absl::string_view(static_cast<const char*>(mapped_), mapped_bytes_)
      .substr(begin_);
}

absl::StatusOr<char*> InputFile::MutableBytes() {
  if (mapped_ == nullptr) return read_.data();
  if (mprotect(mapped_, mapped_bytes_, PROT_READ | PROT_WRITE) != 0) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot hold ", mapped_bytes_, " bytes"));
  }
  return static_cast<char*>(mapped_) + begin_;
}

}  // namespace stridecast
