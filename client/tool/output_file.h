// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A file that is there as a whole or not at all: written beside its name and
// renamed when it is complete. Until then, and for good if something fails or a
// signal comes, what had the name before is untouched.
//   - "-", pipes and devices (/dev/null, /dev/stdout) are written as they are.
//   - So is a file in a directory where none can be made.
//   - A symbolic link stays one: its target is replaced. A file keeps its
//     permissions; a new one has those that the umask leaves.
// Downside: of a file with several hard links one name gets the new content.

#ifndef STRIDECAST_CLIENT_TOOL_OUTPUT_FILE_H_
#define STRIDECAST_CLIENT_TOOL_OUTPUT_FILE_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/tool/interruption.h"

namespace stridecast {

class OutputFile {
 public:
  // Errors: kNotFound, kPermissionDenied, ...; texts name the path, here and
  // below.
  static absl::StatusOr<OutputFile> Create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  // Takes away what was not committed.
  ~OutputFile();

  absl::Status Write(absl::string_view bytes);

  // Gives the file its name. Nothing is written afterwards.
  absl::Status Commit();

 private:
  OutputFile(std::string shown, int descriptor)
      : shown_(std::move(shown)), descriptor_(descriptor) {}

  absl::Status Error() const;

  std::string shown_;   // the path in texts
  std::string target_;  // where to rename to
  std::optional<TemporaryFile> temporary_;
  int descriptor_;  // -1: closed
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_OUTPUT_FILE_H_
