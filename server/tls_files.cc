// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/tls_files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/periodic_thread.h"
#include "server/regular_file.h"
#include "spdlog/spdlog.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr absl::string_view kCertificateFlag = "--tls-certificate";
constexpr absl::string_view kKeyFlag = "--tls-private-key";
constexpr absl::string_view kClientFlag = "--tls-client-ca";

template <auto kFree>
struct Freer {
  void operator()(auto* object) const { kFree(object); }
};
using Bio = std::unique_ptr<BIO, Freer<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Context = std::unique_ptr<SSL_CTX, Freer<SSL_CTX_free>>;

std::string OpenSslReason() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? "" : absl::StrCat(" (", reason, ")");
}

absl::Status Error(absl::string_view flag, const std::string& path,
                   absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": \"", path, "\" ", what, OpenSslReason()));
}

absl::StatusOr<std::string> ReadFile(absl::string_view flag,
                                     const std::string& path) {
  std::optional<std::string> text = ReadRegularFile(path);
  if (!text.has_value()) return Error(flag, path, "cannot be read");
  return *std::move(text);
}

// As gRPC sees the text, to the first NUL.
Bio BioOf(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.c_str(), -1));
}

Certificate NextCertificate(const Bio& bio) {
  return Certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

// Whether reading ended because there was nothing more.
bool IsAtEnd() {
  const bool is_at_end =
      ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (is_at_end) ERR_clear_error();
  return is_at_end;
}

// Would be asked for at the terminal otherwise.
int NoPassphrase(char*, int, int, void*) { return -1; }

std::chrono::system_clock::time_point ExpiryOf(const Certificate& certificate) {
  std::tm utc = {};
  ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &utc);
  return std::chrono::system_clock::from_time_t(timegm(&utc));
}

// What a server would refuse, too: weak keys and signatures.
absl::Status CheckOwn(const TlsFiles::Paths& paths, TlsIdentity& identity,
                      SSL_CTX* context) {
  constexpr absl::string_view kNoChain =
      "is no readable PEM chain of certificates";
  const Bio chain = BioOf(identity.certificate_chain);
  const Certificate own = NextCertificate(chain);
  if (own == nullptr || SSL_CTX_use_certificate(context, own.get()) != 1) {
    return Error(kCertificateFlag, paths.certificate_chain, kNoChain);
  }
  identity.expiry = ExpiryOf(own);
  while (Certificate issuer = NextCertificate(chain)) {
    identity.expiry = std::min(identity.expiry, ExpiryOf(issuer));
    if (SSL_CTX_add0_chain_cert(context, issuer.get()) != 1) {
      return Error(kCertificateFlag, paths.certificate_chain, kNoChain);
    }
    (void)issuer.release();
  }
  if (!IsAtEnd()) {
    return Error(kCertificateFlag, paths.certificate_chain, kNoChain);
  }
  const PrivateKey key(PEM_read_bio_PrivateKey(
      BioOf(identity.private_key).get(), nullptr, &NoPassphrase, nullptr));
  // OpenSSL's reason for any text is "unsupported".
  if (key == nullptr) ERR_clear_error();
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return Error(kKeyFlag, paths.private_key,
                 "is no readable PEM key of the certificate");
  }
  return absl::OkStatus();
}

absl::Status CheckClientAuthorities(const std::string& path,
                                    const std::string& text) {
  const Bio bio = BioOf(text);
  int num_certificates = 0;
  while (NextCertificate(bio) != nullptr) ++num_certificates;
  if (IsAtEnd() && num_certificates > 0) return absl::OkStatus();
  return Error(kClientFlag, path, "has no readable PEM certificates");
}

bool IsSame(const TlsIdentity& a, const TlsIdentity& b) {
  return a.certificate_chain == b.certificate_chain &&
         a.private_key == b.private_key &&
         a.client_authorities == b.client_authorities;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsFiles>> TlsFiles::Open(
    const Paths& paths, std::chrono::seconds refresh) {
  std::unique_ptr<TlsFiles> files(new TlsFiles(paths));
  RETURN_IF_ERROR(files->Refresh());
  files->refresher_ = RunEvery(refresh, [watched = files.get()] {
    if (const absl::Status read = watched->Refresh(); !read.ok()) {
      spdlog::error("TLS stays as it was: {}", std::string(read.message()));
    }
  });
  return files;
}

std::shared_ptr<const TlsIdentity> TlsFiles::identity() const {
  absl::MutexLock lock(&mutex_);
  return identity_;
}

absl::Status TlsFiles::Refresh() {
  absl::Status read = Read();
  is_stale_ = !read.ok();
  return read;
}

absl::Status TlsFiles::Read() {
  TlsIdentity read;
  ASSIGN_OR_RETURN(read.certificate_chain,
                   ReadFile(kCertificateFlag, paths_.certificate_chain));
  ASSIGN_OR_RETURN(read.private_key, ReadFile(kKeyFlag, paths_.private_key));
  if (!paths_.client_authorities.empty()) {
    ASSIGN_OR_RETURN(read.client_authorities,
                     ReadFile(kClientFlag, paths_.client_authorities));
  }
  const std::shared_ptr<const TlsIdentity> former = identity();
  if (former != nullptr && IsSame(read, *former)) return absl::OkStatus();

  ERR_clear_error();
  const Context context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr) return absl::InternalError("OpenSSL has no memory");
  RETURN_IF_ERROR(CheckOwn(paths_, read, context.get()));
  if (!paths_.client_authorities.empty()) {
    RETURN_IF_ERROR(CheckClientAuthorities(paths_.client_authorities,
                                           read.client_authorities));
  }
  const auto now = std::chrono::system_clock::now();
  const bool has_expired = read.expiry < now;
  if (has_expired && former != nullptr && former->expiry >= now) {
    return Error(kCertificateFlag, paths_.certificate_chain, "has expired");
  }
  if (former != nullptr) {
    spdlog::info("\"{}\" changed: TLS of new connections",
                 paths_.certificate_chain);
  }
  if (has_expired) {
    spdlog::warn("{}: \"{}\" has expired", kCertificateFlag.data(),
                 paths_.certificate_chain);
  }
  absl::MutexLock lock(&mutex_);
  identity_ = std::make_shared<const TlsIdentity>(std::move(read));
  return absl::OkStatus();
}

}  // namespace stridecast
