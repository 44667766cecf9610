// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/tls_credentials.h"

#include <utility>
#include <vector>

#include "grpc/slice.h"
#include "grpcpp/security/auth_metadata_processor.h"

namespace stridecast {
namespace {

using Processor = grpc::AuthMetadataProcessor;

grpc::string_ref ToStringRef(const grpc_slice& slice) {
  return {reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)),
          GRPC_SLICE_LENGTH(slice)};
}

// Of texts that outlive them.
std::vector<grpc_metadata> ToCMetadata(
    const Processor::OutputMetadata& metadata) {
  std::vector<grpc_metadata> c_metadata;
  for (const auto& [key, value] : metadata) {
    grpc_metadata& entry = c_metadata.emplace_back();
    entry.key = grpc_slice_from_static_buffer(key.data(), key.size());
    entry.value = grpc_slice_from_static_buffer(value.data(), value.size());
  }
  return c_metadata;
}

// `state` is a std::shared_ptr<Processor> of its own.
void Process(void* state, grpc_auth_context*, const grpc_metadata* metadata,
             size_t num_metadata, grpc_process_auth_metadata_done_cb done,
             void* user_data) {
  Processor::InputMetadata in;
  for (size_t i = 0; i < num_metadata; ++i) {
    in.emplace(ToStringRef(metadata[i].key), ToStringRef(metadata[i].value));
  }
  Processor::OutputMetadata consumed, response;
  const grpc::Status status = (*static_cast<std::shared_ptr<Processor>*>(state))
                                  ->Process(in, nullptr, &consumed, &response);
  const std::vector<grpc_metadata> c_consumed = ToCMetadata(consumed);
  const std::vector<grpc_metadata> c_response = ToCMetadata(response);
  done(user_data, c_consumed.data(), c_consumed.size(), c_response.data(),
       c_response.size(), static_cast<grpc_status_code>(status.error_code()),
       status.error_message().c_str());
}

void DestroyProcessor(void* state) {
  delete static_cast<std::shared_ptr<Processor>*>(state);
}

grpc_ssl_client_certificate_request_type RequestType(
    const TlsIdentity& identity) {
  return identity.client_authorities.empty()
             ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
             : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
}

}  // namespace

TlsCredentials::TlsCredentials(std::shared_ptr<const TlsFiles> files)
    : files_(std::move(files)),
      credentials_(grpc_ssl_server_credentials_create_with_options(
          grpc_ssl_server_credentials_create_options_using_config_fetcher(
              RequestType(*files_->identity()), &Fetch, this))) {}

TlsCredentials::~TlsCredentials() {
  grpc_server_credentials_release(credentials_);
}

void TlsCredentials::SetAuthMetadataProcessor(
    const std::shared_ptr<Processor>& processor) {
  grpc_server_credentials_set_auth_metadata_processor(
      credentials_,
      {&Process, &DestroyProcessor, new std::shared_ptr<Processor>(processor)});
}

int TlsCredentials::AddPortToServer(const std::string& address,
                                    grpc_server* server) {
  return grpc_server_add_http2_port(server, address.c_str(), credentials_);
}

grpc_ssl_certificate_config_reload_status TlsCredentials::Fetch(
    void* credentials, grpc_ssl_server_certificate_config** config) {
  auto& self = *static_cast<TlsCredentials*>(credentials);
  std::shared_ptr<const TlsIdentity> identity = self.files_->identity();
  if (identity == self.told_) {
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
  }
  const grpc_ssl_pem_key_cert_pair own = {identity->private_key.c_str(),
                                          identity->certificate_chain.c_str()};
  // Debian's build aborts without authorities (a debugging assertion), even if
  // no client is asked for a certificate: then any will do.
  const std::string& authorities = identity->client_authorities.empty()
                                       ? identity->certificate_chain
                                       : identity->client_authorities;
  *config =
      grpc_ssl_server_certificate_config_create(authorities.c_str(), &own, 1);
  self.told_ = std::move(identity);
  return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
}

}  // namespace stridecast
