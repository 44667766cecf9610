// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/credentials.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "grpcpp/security/auth_metadata_processor.h"
#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_credentials_options.h"
#include "server/listen_address.h"
#include "server/token_file.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr absl::string_view kHealthPrefix = "/grpc.health.v1.Health/";

absl::string_view ToView(grpc::string_ref text) {
  return {text.data(), text.size()};
}

// Looks at each call's token before any service sees the call.
class TokenChecker final : public grpc::AuthMetadataProcessor {
 public:
  TokenChecker(std::shared_ptr<const TokenFile> tokens, bool health_needs_token,
               std::shared_ptr<std::atomic<int64_t>> num_refused)
      : tokens_(std::move(tokens)),
        health_needs_token_(health_needs_token),
        num_refused_(std::move(num_refused)) {}

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
    return grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                        first == last
                            ? "authorization: missing; needs \"Bearer TOKEN\""
                            : "authorization: not a valid \"Bearer TOKEN\"");
  }

 private:
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
};

std::string OpenSslReason() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? "" : absl::StrCat(" (", reason, ")");
}

// gRPC would start with files that it cannot use, and fail each handshake.
absl::Status CheckTlsFiles(const ServerOptions& options) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
      SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  if (context == nullptr) return absl::InternalError("OpenSSL has no memory");
  const auto error = [](absl::string_view flag, const std::string& path,
                        absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": \"", path, "\" ", what, OpenSslReason()));
  };
  if (SSL_CTX_use_certificate_chain_file(
          context.get(), options.tls_certificate.c_str()) != 1) {
    return error("--tls-certificate", options.tls_certificate,
                 "is no readable PEM chain of certificates");
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(),
                                  options.tls_private_key.c_str(),
                                  SSL_FILETYPE_PEM) != 1) {
    return error("--tls-private-key", options.tls_private_key,
                 "is no readable PEM key of the certificate");
  }
  if (!options.tls_client_ca.empty() &&
      SSL_CTX_load_verify_locations(
          context.get(), options.tls_client_ca.c_str(), nullptr) != 1) {
    return error("--tls-client-ca", options.tls_client_ca,
                 "has no readable PEM certificates");
  }
  return absl::OkStatus();
}

std::shared_ptr<grpc::ServerCredentials> TlsCredentials(
    const ServerOptions& options) {
  const bool asks_clients = !options.tls_client_ca.empty();
  grpc::experimental::TlsServerCredentialsOptions tls(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          options.tls_private_key, options.tls_certificate,
          options.tls_client_ca,
          static_cast<unsigned>(options.credentials_refresh_seconds)));
  tls.watch_identity_key_cert_pairs();
  if (asks_clients) tls.watch_root_certs();
  tls.set_cert_request_type(
      asks_clients ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                   : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  return grpc::experimental::TlsServerCredentials(tls);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Credentials>> Credentials::Make(
    const ServerOptions& options) {
  std::unique_ptr<Credentials> made(new Credentials);
  if (!options.tls_certificate.empty()) {
    RETURN_IF_ERROR(CheckTlsFiles(options));
    made->tcp_ = TlsCredentials(options);
  }
  if (options.token_file.empty()) return made;

  absl::StatusOr<std::unique_ptr<TokenFile>> tokens = TokenFile::Open(
      options.token_file,
      std::chrono::seconds(options.credentials_refresh_seconds));
  RETURN_IF_ERROR(PrefixField("--token-file: ", tokens.status()));
  const auto checker = std::make_shared<TokenChecker>(
      *std::move(tokens), options.health_needs_token, made->num_refused_);
  // Others than local ones gRPC aborts with.
  made->unix_ = grpc::experimental::LocalServerCredentials(UDS);
  made->unix_->SetAuthMetadataProcessor(checker);
  if (made->tcp_ != nullptr) made->tcp_->SetAuthMetadataProcessor(checker);
  return made;
}

std::shared_ptr<grpc::ServerCredentials> Credentials::ForAddress(
    absl::string_view address) const {
  const auto& credentials = IsUnixSocket(address) ? unix_ : tcp_;
  return credentials != nullptr ? credentials
                                : grpc::InsecureServerCredentials();
}

}  // namespace stridecast
