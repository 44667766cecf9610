// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The names of servers that people mistype. gRPC takes nearly anything: without
// a port, 443.

#ifndef STRIDECAST_CLIENT_TARGET_H_
#define STRIDECAST_CLIENT_TARGET_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stridecast {

// What is wrong with `target`, as in "it has no port; give host:port"; empty if
// nothing is.
std::string TargetFault(absl::string_view target);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TARGET_H_
