// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The addresses that --listen takes: "host:port", "unix:/path" and
// "unix-abstract:name", a socket without a file.

#ifndef STRIDECAST_SERVER_LISTEN_ADDRESS_H_
#define STRIDECAST_SERVER_LISTEN_ADDRESS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stridecast {

// Looks at the text alone. An IPv6 host stands in brackets: "[::1]:50051".
// Errors: kInvalidArgument naming the address.
absl::Status CheckListenAddress(absl::string_view address);

// Whether a server of `other` has that address too: of 0.0.0.0 and [::] with
// the same port, either is both.
bool IsServedBy(absl::string_view address, absl::string_view other);

// Whether it is "unix:/path" or "unix-abstract:name".
bool IsUnixSocket(absl::string_view address);

// Whether only this machine can reach it: a Unix socket, localhost, 127.x.y.z
// or [::1].
bool IsLocalOnly(absl::string_view address);

// The path of an address "unix:/path"; none of others.
std::optional<absl::string_view> SocketPathOf(absl::string_view address);
// The name of an address "unix-abstract:name".
absl::string_view AbstractNameOf(absl::string_view address);

// Of a checked address "host:port", without brackets.
struct HostPort {
  std::string host;
  int port;
};
HostPort SplitHostPort(absl::string_view address);

// The address with the port that was bound, for one that asked for any.
std::string WithBoundPort(absl::string_view address, int port);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_LISTEN_ADDRESS_H_
