// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Errors of the command line itself, whose exit code is 2 (command.h): flags
// and arguments, literals and expressions among them. What files hold, what is
// not there and what a server says is none.

#ifndef STRIDECAST_CLIENT_TOOL_USAGE_ERROR_H_
#define STRIDECAST_CLIENT_TOOL_USAGE_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stridecast {

inline constexpr absl::string_view kUsageErrorUrl = "stridecast/usage-error";

// `status`, marked as such; OK stays OK. The mark survives PrefixField.
inline absl::Status AsUsageError(absl::Status status) {
  if (!status.ok()) status.SetPayload(kUsageErrorUrl, absl::Cord());
  return status;
}

inline absl::Status UsageError(absl::string_view text) {
  return AsUsageError(absl::InvalidArgumentError(text));
}

inline bool IsUsageError(const absl::Status& status) {
  return status.GetPayload(kUsageErrorUrl).has_value();
}

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_USAGE_ERROR_H_
