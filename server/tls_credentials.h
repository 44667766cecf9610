// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// gRPC's TLS whose certificates are those of TlsFiles at each new connection.
// Made of gRPC's C interface, the only one that asks for them (1.51).

#ifndef STRIDECAST_SERVER_TLS_CREDENTIALS_H_
#define STRIDECAST_SERVER_TLS_CREDENTIALS_H_

#include <memory>
#include <string>

#include "grpc/grpc_security.h"
#include "grpcpp/security/server_credentials.h"
#include "server/tls_files.h"

namespace stridecast {

// Of one address: gRPC is told once of each change. Connections are to be
// given to gRPC by one thread at a time.
class TlsCredentials final : public grpc::ServerCredentials {
 public:
  explicit TlsCredentials(std::shared_ptr<const TlsFiles> files);
  ~TlsCredentials() override;

  // `processor` may not block, and is given no AuthContext.
  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>& processor) override;

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override;
  static grpc_ssl_certificate_config_reload_status Fetch(
      void* credentials, grpc_ssl_server_certificate_config** config);

  const std::shared_ptr<const TlsFiles> files_;
  std::shared_ptr<const TlsIdentity> told_;
  grpc_server_credentials* const credentials_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_TLS_CREDENTIALS_H_
