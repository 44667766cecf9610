// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_SERVER_REGULAR_FILE_H_
#define STRIDECAST_SERVER_REGULAR_FILE_H_

#include <optional>
#include <string>

namespace stridecast {

// All of a file; none if it cannot be read, or is no regular file: who reads a
// pipe waits for whoever writes it.
std::optional<std::string> ReadRegularFile(const std::string& path);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_REGULAR_FILE_H_
