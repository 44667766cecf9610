// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Connections that say nothing but what a test has them say.

#ifndef STRIDECAST_TESTS_SERVICE_RAW_SOCKET_H_
#define STRIDECAST_TESTS_SERVICE_RAW_SOCKET_H_

#include <chrono>
#include <string>

#include "server/owned_fd.h"

namespace stridecast::testing {

// `address` is "IPv4:port" or "unix:PATH". Not open if nothing listens there.
OwnedFd ConnectTo(const std::string& address);

// Whether the other end closes it within that time. What it sends is read, and
// not answered.
bool IsClosed(int fd, std::chrono::seconds patience = std::chrono::seconds(10));

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SERVICE_RAW_SOCKET_H_
