// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/credentials.h"

#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "grpcpp/security/auth_metadata_processor.h"
#include "server/listen_address.h"
#include "server/log.h"
#include "server/tls_credentials.h"
#include "spdlog/logger.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr int64_t kMaxRefusalsLoggedPerSecond = 10;
constexpr absl::string_view kHealthPrefix = "/grpc.health.v1.Health/";

absl::string_view ToView(grpc::string_ref text) {
  return {text.data(), text.size()};
}

// Looks at each call's token before any service sees the call.
class TokenChecker final : public grpc::AuthMetadataProcessor {
 public:
  TokenChecker(std::shared_ptr<const TokenFile> tokens, bool health_needs_token,
               std::shared_ptr<std::atomic<int64_t>> num_refused,
               LogFormat log_format)
      : tokens_(std::move(tokens)),
        health_needs_token_(health_needs_token),
        num_refused_(std::move(num_refused)),
        log_format_(log_format) {}

  bool IsBlocking() const override { return false; }

  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext*,
                       OutputMetadata* consumed, OutputMetadata*) override {
    const auto [first, last] = metadata.equal_range("authorization");
    for (auto it = first; it != last; ++it) {
      consumed->emplace("authorization",
                        std::string(it->second.data(), it->second.size()));
    }
    if (!health_needs_token_ && IsHealth(metadata)) return grpc::Status::OK;
    if (std::distance(first, last) == 1 && IsValid(ToView(first->second))) {
      return grpc::Status::OK;
    }
    ++*num_refused_;
    const char* const fault =
        first == last ? "authorization: missing; needs \"Bearer TOKEN\""
                      : "authorization: not a valid \"Bearer TOKEN\"";
    LogRefusal(metadata, fault);
    return grpc::Status(grpc::StatusCode::UNAUTHENTICATED, fault);
  }

 private:
  // No service sees the call, nor writes its line.
  void LogRefusal(const InputMetadata& metadata, const char* fault) {
    int64_t num_held_back = 0;
    if (!log_limit_.Pass(RateLimiter::Clock::now(), num_held_back)) return;
    const auto path = metadata.find(":path");
    // Not kept: gRPC keeps this longer than there is a log.
    CallLogger()->warn(FormatRefusal(
        path == metadata.end() ? "" : ToView(path->second),
        absl::StatusCode::kUnauthenticated,
        num_held_back == 0
            ? fault
            : absl::StrCat(fault, "; ", num_held_back, " more were not logged"),
        log_format_));
  }

  static bool IsHealth(const InputMetadata& metadata) {
    const auto path = metadata.find(":path");
    return path != metadata.end() &&
           absl::StartsWith(ToView(path->second), kHealthPrefix);
  }

  bool IsValid(absl::string_view authorization) const {
    // The scheme's case does not matter (RFC 9110, 11.1).
    constexpr absl::string_view kScheme = "Bearer ";
    return absl::StartsWithIgnoreCase(authorization, kScheme) &&
           tokens_->Has(authorization.substr(kScheme.size()));
  }

  const std::shared_ptr<const TokenFile> tokens_;
  const bool health_needs_token_;
  const std::shared_ptr<std::atomic<int64_t>> num_refused_;
  const LogFormat log_format_;
  RateLimiter log_limit_{kMaxRefusalsLoggedPerSecond};
};

}  // namespace

absl::StatusOr<std::unique_ptr<Credentials>> Credentials::Make(
    const ServerOptions& options) {
  const std::chrono::seconds refresh(options.credentials_refresh_seconds);
  std::unique_ptr<Credentials> made(new Credentials);
  if (!options.tls_certificate.empty()) {
    ASSIGN_OR_RETURN(made->tls_files_, TlsFiles::Open({options.tls_certificate,
                                                       options.tls_private_key,
                                                       options.tls_client_ca},
                                                      refresh));
  }
  if (options.token_file.empty()) return made;

  absl::StatusOr<std::unique_ptr<TokenFile>> tokens =
      TokenFile::Open(options.token_file, refresh);
  RETURN_IF_ERROR(PrefixField("--token-file: ", tokens.status()));
  made->tokens_ = *std::move(tokens);
  made->token_checker_ = std::make_shared<TokenChecker>(
      made->tokens_, options.health_needs_token, made->num_refused_,
      ToLogFormat(options.log_format));
  return made;
}

std::shared_ptr<grpc::ServerCredentials> Credentials::ForAddress(
    absl::string_view address) const {
  std::shared_ptr<grpc::ServerCredentials> credentials;
  if (!IsUnixSocket(address) && tls_files_ != nullptr) {
    credentials = std::make_shared<TlsCredentials>(tls_files_);
  } else if (IsUnixSocket(address) && token_checker_ != nullptr) {
    // Others than local ones gRPC aborts with.
    credentials = grpc::experimental::LocalServerCredentials(UDS);
  } else {
    return grpc::InsecureServerCredentials();
  }
  if (token_checker_ != nullptr) {
    credentials->SetAuthMetadataProcessor(token_checker_);
  }
  return credentials;
}

std::optional<std::chrono::system_clock::time_point>
Credentials::certificate_expiry() const {
  if (tls_files_ == nullptr) return std::nullopt;
  return tls_files_->identity()->expiry;
}

bool Credentials::is_tls_stale() const {
  return tls_files_ != nullptr && tls_files_->is_stale();
}

bool Credentials::are_tokens_stale() const {
  return tokens_ != nullptr && tokens_->is_stale();
}

}  // namespace stridecast
