// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/file_bytes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "client/tool/input_file.h"
#include "client/tool/output_file.h"
#include "client/tool/usage_error.h"
#include "stridecast/status_macros.h"

namespace stridecast {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(path));
  return std::string(file.bytes());
}

absl::Status WriteFile(const std::string& path, absl::string_view head,
                       absl::string_view tail) {
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  RETURN_IF_ERROR(file.Write(head));
  RETURN_IF_ERROR(file.Write(tail));
  return file.Commit();
}

absl::Status CheckOnePipe(const std::vector<std::string>& paths,
                          absl::string_view role) {
  if (std::count(paths.begin(), paths.end(), "-") <= 1) {
    return absl::OkStatus();
  }
  return UsageError(absl::StrCat("-: ", role, " is one pipe; only one of ",
                                 paths.size(), " can go through it"));
}

}  // namespace stridecast
