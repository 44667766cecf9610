// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tells clients to make another connection, without failing a call.

#ifndef STRIDECAST_SERVER_GOAWAY_H_
#define STRIDECAST_SERVER_GOAWAY_H_

#include "grpcpp/server.h"

namespace stridecast {

// Sends a graceful HTTP/2 GOAWAY on all connections, as --max-connection-age
// does: what the client sent before it knew is served, and a connection is
// closed after its last call. grpc::Server::Shutdown() cancels the calls that
// cross its GOAWAY. Connections that were told before are not told again.
void SendGoaways(grpc::Server& server);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_GOAWAY_H_
