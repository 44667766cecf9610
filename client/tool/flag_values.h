// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the values of flags may be. A value that is none is refused with the
// range and what came: nan, inf and numbers beyond the range among them.

#ifndef STRIDECAST_CLIENT_TOOL_FLAG_VALUES_H_
#define STRIDECAST_CLIENT_TOOL_FLAG_VALUES_H_

#include <cstdint>
#include <string>

namespace CLI {
class Validator;
}  // namespace CLI

namespace stridecast {

// A year: longer than anything is waited for, and far from what overflows.
inline constexpr double kMaxSeconds = 365 * 86400.0;

// Each returns what is wrong with `text`; "" if nothing is.
// At least a microsecond, or nothing at all if that is allowed.
std::string CheckSeconds(const std::string& text, bool may_be_zero);
std::string CheckWhole(const std::string& text, int64_t least, int64_t most);
// "host:port", "[::1]:port", or a gRPC name with its scheme.
std::string CheckAddress(const std::string& text);
// Turns "64kb" (1024 bytes a kb) into "65536".
std::string ReadByteSize(std::string& text, int64_t least, int64_t most);

// The same for CLI11.
CLI::Validator Seconds();
CLI::Validator SecondsOrNone();
CLI::Validator Whole(int64_t least, int64_t most);
CLI::Validator Address();
CLI::Validator ByteSize(int64_t least, int64_t most);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_FLAG_VALUES_H_
