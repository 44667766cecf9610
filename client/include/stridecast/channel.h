// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Connections to one server or to many.
//
//   std::ifstream file("ca.pem");
//   const std::string authority(std::istreambuf_iterator<char>(file), {});
//   ChannelOptions options;
//   options.tls = TlsOptions{.root_certificates = authority};
//   options.bearer_token = token;
//   const auto channel = MakeChannel("dns:///tensors.example:50051", options);
//   if (!channel.ok()) return channel.status();
//   const Client client(*channel);

#ifndef STRIDECAST_CHANNEL_H_
#define STRIDECAST_CHANNEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace grpc {
class Channel;
}  // namespace grpc

namespace stridecast {

// PEM texts, not paths.
struct TlsOptions {
  // Who may sign the server's certificate; empty: whom the system trusts.
  std::string root_certificates = {};
  // What this side shows, both or neither: mutual TLS.
  std::string certificate_chain = {};
  std::string private_key = {};
  // The name that the server's certificate must have, instead of the target's.
  std::string server_name = {};
};

struct ChannelOptions {
  // Absent: plaintext.
  std::optional<TlsOptions> tls = std::nullopt;
  // Sent with every call as "authorization: Bearer ...". Over TLS or a Unix
  // socket only.
  std::string bearer_token = {};
  // Calls go by turns to all addresses that the target stands for, and not to
  // those whose health says NOT_SERVING; absent: if the target begins "dns:".
  std::optional<bool> round_robin = std::nullopt;
  // What health is asked for, with round_robin; empty: it is not.
  std::string health_service = "readiness";
  // Of one reply, in bytes; -1: any.
  int64_t max_reply_bytes = -1;
};

// A channel for calls of any size, with the keepalive that bounds how long
// memory stays lent (client.h). Connects in the background.
// Errors: kInvalidArgument for a token over plaintext TCP or that is no token,
// for half of a certificate, an empty target, and a name that is none.
absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(
    const std::string& target, const ChannelOptions& options = {});

}  // namespace stridecast

#endif  // STRIDECAST_CHANNEL_H_
