// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The bytes of an input. A regular file is mapped: its bytes take no memory of
// the process, whatever its size, and are read when something looks at them.
// Pipes and devices are read to their end.
// Rule: what is mapped is not written to while it is in use; a file that others
// shorten meanwhile ends the process (interruption.h).

#ifndef STRIDECAST_CLIENT_TOOL_INPUT_FILE_H_
#define STRIDECAST_CLIENT_TOOL_INPUT_FILE_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stridecast {

class InputFile {
 public:
  InputFile() = default;
  // Bytes that are in memory already.
  explicit InputFile(std::string bytes) : read_(std::move(bytes)) {}
  // "-": standard input, from where it stands.
  // Errors: kNotFound, kPermissionDenied, ...; texts name the path.
  static absl::StatusOr<InputFile> Open(const std::string& path);

  InputFile(InputFile&& other) noexcept { *this = std::move(other); }
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  absl::string_view bytes() const;

  // The same bytes to be changed; the file stays as it is. Pages that are
  // changed take memory.
  absl::StatusOr<char*> MutableBytes();

 private:
  absl::Status Load(int descriptor);

  std::string read_;
  void* mapped_ = nullptr;  // null: read_ has the bytes
  size_t mapped_bytes_ = 0;
  size_t begin_ = 0;  // of bytes() in what is mapped
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_INPUT_FILE_H_
