// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Who may call, and who can listen in: TLS with certificates that are read
// again when their files change, certificates of clients, bearer tokens.
//   TCP    TLS, or plaintext; tokens over TLS alone
//   Unix   never TLS; tokens over gRPC's local credentials
// options.cc refuses what would send a token, or anything but to this machine,
// in the clear.

#ifndef STRIDECAST_SERVER_CREDENTIALS_H_
#define STRIDECAST_SERVER_CREDENTIALS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "grpcpp/security/auth_metadata_processor.h"
#include "grpcpp/security/server_credentials.h"
#include "server/options.h"
#include "server/tls_files.h"
#include "server/token_file.h"

namespace stridecast {

class Credentials {
 public:
  // Of valid options. Errors: kInvalidArgument naming the flag and the file
  // that cannot be read, or a key that is not the certificate's.
  static absl::StatusOr<std::unique_ptr<Credentials>> Make(
      const ServerOptions& options);

  // For one of the addresses of --listen.
  std::shared_ptr<grpc::ServerCredentials> ForAddress(
      absl::string_view address) const;

  // When the first certificate of the server's chain ends; none over plaintext.
  std::optional<std::chrono::system_clock::time_point> certificate_expiry()
      const;

  // Whether what is in effect is older than the files, which are faulty; false
  // where there are none.
  bool is_tls_stale() const;
  bool are_tokens_stale() const;

  // Calls that came without a token, or with a wrong one.
  int64_t num_refused() const { return num_refused_->load(); }

 private:
  Credentials() = default;

  // Null: plaintext.
  std::shared_ptr<const TlsFiles> tls_files_;
  // Both null: nobody needs a token.
  std::shared_ptr<const TokenFile> tokens_;
  std::shared_ptr<grpc::AuthMetadataProcessor> token_checker_;
  // Shared with gRPC, which keeps credentials longer than a server.
  std::shared_ptr<std::atomic<int64_t>> num_refused_ =
      std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_CREDENTIALS_H_
