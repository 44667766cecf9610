// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Whole files as bytes; "-" is standard input or output.

#ifndef STRIDECAST_CLIENT_TOOL_FILE_BYTES_H_
#define STRIDECAST_CLIENT_TOOL_FILE_BYTES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stridecast {

// Errors: kNotFound, kPermissionDenied, ...; texts name the path, here and
// below.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Writes `head`, then `tail`.
absl::Status WriteFile(const std::string& path, absl::string_view head,
                       absl::string_view tail = {});

// A pipe can be read, or written, once.
// Errors: kInvalidArgument if more than one of `paths` is "-".
absl::Status CheckOnePipe(const std::vector<std::string>& paths,
                          absl::string_view role);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_FILE_BYTES_H_
