// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/file_bytes.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 16;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePointer = std::unique_ptr<std::FILE, CloseFile>;

absl::Status WriteParts(std::FILE* file, const std::string& path,
                        absl::string_view head, absl::string_view tail) {
  for (absl::string_view part : {head, tail}) {
    if (part.empty()) continue;  // its data may be null
    if (std::fwrite(part.data(), 1, part.size(), file) != part.size()) {
      return absl::ErrnoToStatus(errno, path);
    }
  }
  // What was buffered is written now, and may fail only now.
  if (std::fflush(file) != 0) return absl::ErrnoToStatus(errno, path);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  FilePointer opened;
  std::FILE* file = stdin;
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "rb"));
    if (opened == nullptr) return absl::ErrnoToStatus(errno, path);
    file = opened.get();
  }
  std::string bytes;
  char block[kBlockBytes];
  while (const size_t count = std::fread(block, 1, sizeof(block), file)) {
    bytes.append(block, count);
  }
  if (std::ferror(file) != 0) return absl::ErrnoToStatus(errno, path);
  return bytes;
}

absl::Status WriteFile(const std::string& path, absl::string_view head,
                       absl::string_view tail) {
  if (path == "-") return WriteParts(stdout, "standard output", head, tail);
  FilePointer file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return absl::ErrnoToStatus(errno, path);
  RETURN_IF_ERROR(WriteParts(file.get(), path, head, tail));
  if (std::fclose(file.release()) != 0) {
    return absl::ErrnoToStatus(errno, path);
  }
  return absl::OkStatus();
}

absl::Status CheckOnePipe(const std::vector<std::string>& paths,
                          absl::string_view role) {
  if (std::count(paths.begin(), paths.end(), "-") <= 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("-: ", role, " is one pipe; only one of ", paths.size(),
                   " can go through it"));
}

}  // namespace stridecast
