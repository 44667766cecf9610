// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/command.h"

#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace stridecast {
namespace {

// What the user can do about an error that is not the request's fault.
absl::string_view Advice(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return "; is a server there? --server or STRIDECAST_SERVER says where";
    case absl::StatusCode::kResourceExhausted:
      return absl::StrContains(status.message(), "--max-")
                 ? ", a flag of stridecast-server"
                 : "";
    case absl::StatusCode::kDeadlineExceeded:
      return "; --timeout SECONDS gives it longer";
    default:
      return "";
  }
}

}  // namespace

Client CommonFlags::Connect() const {
  ClientOptions options;
  if (timeout_seconds) options.timeout = absl::Seconds(*timeout_seconds);
  return Client::Connect(server, options);
}

bool CommonFlags::PrintsJson() const {
  return json || (!text && isatty(STDOUT_FILENO) == 0);
}

absl::Status FromServer(const CommonFlags& flags, const absl::Status& status) {
  return absl::Status(
      status.code(),
      absl::StrCat(flags.server, ": ", absl::StatusCodeToString(status.code()),
                   ": ", status.message(), Advice(status)));
}

}  // namespace stridecast
