// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/command.h"

#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace stridecast {
namespace {

constexpr absl::string_view kWhere = "--server or STRIDECAST_SERVER says where";

// gRPC's texts about the way to a server: a chain of its own layers.
bool IsUnresolved(const absl::Status& status) {
  return absl::IsUnavailable(status) &&
         (absl::StrContains(status.message(), "DNS resolution failed") ||
          absl::StrContains(status.message(), "empty address list"));
}

// What the user can do about an error that is not the request's fault.
std::string Advice(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return absl::StrCat("; is a server there? ", kWhere);
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
  // gRPC's word for a name that it cannot read.
  if (absl::StrContains(status.message(), "create secure client channel")) {
    return absl::InvalidArgumentError(
        absl::StrCat(flags.server, ": no address of a server; ", kWhere,
                     ", as in host:port, dns:///host:port or unix:/path"));
  }
  if (IsUnresolved(status)) {
    return absl::UnavailableError(absl::StrCat(
        flags.server, ": UNAVAILABLE: no address has that name; ", kWhere));
  }
  return absl::Status(
      status.code(),
      absl::StrCat(flags.server, ": ", absl::StatusCodeToString(status.code()),
                   ": ", status.message(), Advice(status)));
}

}  // namespace stridecast
