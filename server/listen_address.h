// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The addresses that --listen takes: "host:port" and "unix:/path".

#ifndef STRIDECAST_SERVER_LISTEN_ADDRESS_H_
#define STRIDECAST_SERVER_LISTEN_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stridecast {

// Looks at the text alone. An IPv6 host stands in brackets: "[::1]:50051".
// Errors: kInvalidArgument naming the address.
absl::Status CheckListenAddress(absl::string_view address);

// Of an address that CheckListenAddress accepts: refuses the path of a socket
// that somebody serves, which gRPC would take away from them, and of anything
// that is no socket. A socket file that nobody serves any more is fine; gRPC
// replaces it.
// Errors: kUnavailable naming the address.
absl::Status CheckSocketPathIsFree(absl::string_view address);

// The address with the port that was bound, for one that asked for any.
std::string WithBoundPort(absl::string_view address, int port);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_LISTEN_ADDRESS_H_
