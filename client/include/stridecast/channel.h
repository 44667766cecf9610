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
#include "absl/time/time.h"

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
  // Channels to the same target with the same options share connections; one
  // with its own adds to what a connection's flow control lets through.
  bool own_connections = false;
  // A server of which nothing is heard for so long, while calls or a health
  // check wait or a connection is made, is given up: they fail with
  // kUnavailable, and calls are repeated (client.h), with round_robin
  // elsewhere. After a quarter of it the server is sent a PING, but at most one
  // a second; the other three quarters are also the time that sent bytes may
  // lie unacknowledged. Longer where pauses of the network or of servers have
  // to be outlasted, as streams are not repeated; absl::InfiniteDuration(): for
  // ever.
  absl::Duration max_silence = absl::Seconds(4);
};

// A channel for calls of any size, whose max_silence also bounds how long
// memory stays lent (client.h). Connects in the background, and again within
// some 10 s to a server that was away and is back.
// Servers have to allow PINGs while calls are out, as ours do: gRPC's default
// is one in 5 minutes, and who sends more is cut off (too_many_pings).
// Errors: kInvalidArgument for a token over plaintext TCP or that is no token,
// for half of a certificate or a text that is no PEM, an empty target, a name
// that is none, and a max_silence that is not positive.
absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(
    const std::string& target, const ChannelOptions& options = {});

}  // namespace stridecast

#endif  // STRIDECAST_CHANNEL_H_
