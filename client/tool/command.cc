// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/command.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/tool/file_bytes.h"
#include "client/tool/usage_error.h"
#include "stridecast/channel.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr absl::string_view kWhere = "--server or STRIDECAST_SERVER says where";

// gRPC's texts about the way to a server: a chain of its own layers.
bool IsUnresolved(const absl::Status& status) {
  return absl::IsUnavailable(status) &&
         (absl::StrContains(status.message(), "DNS resolution failed") ||
          absl::StrContains(status.message(), "empty address list"));
}

// Of no path no text.
absl::StatusOr<std::string> ReadIfNamed(const std::string& path) {
  return path.empty() ? std::string() : ReadFile(path);
}

absl::StatusOr<std::optional<TlsOptions>> ReadTls(const TlsFlags& flags) {
  if (flags.certificate_file.empty() != flags.private_key_file.empty()) {
    return UsageError("--tls-certificate and --tls-private-key go together");
  }
  TlsOptions options;
  ASSIGN_OR_RETURN(options.root_certificates,
                   ReadIfNamed(flags.authorities_file));
  ASSIGN_OR_RETURN(options.certificate_chain,
                   ReadIfNamed(flags.certificate_file));
  ASSIGN_OR_RETURN(options.private_key, ReadIfNamed(flags.private_key_file));
  options.server_name = flags.server_name;
  return flags.IsWanted() ? std::optional(options) : std::nullopt;
}

// The first of a file as the server's --token-file.
absl::StatusOr<std::string> ReadToken(const std::string& path) {
  if (path.empty()) return std::string();
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty() && line[0] != '#') return std::string(line);
  }
  return absl::InvalidArgumentError(absl::StrCat(path, ": has no token"));
}

// Of calls that did not reach a server, or not whole, in gRPC's words.
std::string AdviceOnUnavailable(absl::string_view message,
                                const TlsFlags& tls) {
  const auto says = [&](absl::string_view words) {
    return absl::StrContains(message, words);
  };
  if (says("certificate verify failed")) {
    return "; --tls-ca FILE says whom to trust";
  }
  if (says("not in peer certificate")) {
    return "; --tls-server-name NAME says whose certificate it has";
  }
  if (says("wrong version number")) return "; has the server TLS at all?";
  if (says("Bad address")) return "; was an input file shortened meanwhile?";
  if (says("Socket closed") || says("Connection reset")) {
    if (!tls.IsWanted()) {
      return absl::StrCat("; is a server there, or one with TLS (--tls)? ",
                          kWhere);
    }
    if (tls.certificate_file.empty()) {
      return "; does the server ask for a certificate? --tls-certificate and "
             "--tls-private-key have it";
    }
    return "; does the server trust who signed that of --tls-certificate?";
  }
  return absl::StrCat("; is a server there? ", kWhere);
}

// What the user can do about an error that is not the request's fault.
std::string Advice(const absl::Status& status, const TlsFlags& tls) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return AdviceOnUnavailable(status.message(), tls);
    case absl::StatusCode::kUnauthenticated:
      return "; --token-file FILE says whose token is sent";
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

bool TlsFlags::IsWanted() const {
  return tls || !authorities_file.empty() || !certificate_file.empty() ||
         !server_name.empty();
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> CommonFlags::OpenChannel(
    bool own_connections) const {
  ChannelOptions options;
  options.own_connections = own_connections;
  ASSIGN_OR_RETURN(options.tls, ReadTls(tls));
  ASSIGN_OR_RETURN(options.bearer_token, ReadToken(token_file));
  auto channel = MakeChannel(server, options);
  if (channel.ok()) return channel;
  absl::string_view fault = channel.status().message();
  for (const auto& [field, path] :
       {std::pair("tls.root_certificates", &tls.authorities_file),
        std::pair("tls.certificate_chain", &tls.certificate_file),
        std::pair("tls.private_key", &tls.private_key_file)}) {
    if (absl::ConsumePrefix(&fault, field)) {
      return absl::InvalidArgumentError(absl::StrCat(*path, fault));
    }
  }
  // An address has been looked at.
  return UsageError(
      absl::StrCat("--token-file", absl::StripPrefix(fault, "bearer_token")));
}

absl::StatusOr<Client> CommonFlags::Connect() const {
  ClientOptions options;
  if (timeout_seconds) options.timeout = absl::Seconds(*timeout_seconds);
  ASSIGN_OR_RETURN(const auto channel, OpenChannel());
  return Client(channel, options);
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
    return absl::UnavailableError(
        absl::StrCat(flags.server, ": UNAVAILABLE: no address has that name",
                     flags.tls.IsWanted()
                         ? ", or the files of --tls-... do not fit together; "
                         : "; ",
                     kWhere));
  }
  return absl::Status(
      status.code(),
      absl::StrCat(flags.server, ": ", absl::StatusCodeToString(status.code()),
                   ": ", status.message(), Advice(status, flags.tls)));
}

}  // namespace stridecast
