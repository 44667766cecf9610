// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What errors say besides code and text, and by which name the server knows a
// call.
//
//   const auto results = client.Compute(program, {x});
//   if (!results.ok()) {
//     std::cerr << results.status().message() << "; in the server's log: "
//               << RequestIdOf(results.status()) << "\n";
//   }
//
// A status that is printed whole, with <<, ends with these details in bytes;
// ToString(absl::StatusToStringMode::kWithNoExtraData) leaves them out.
// Pure functions: thread-safe. An error that was found on this side, before
// anything was sent, says none of this but the field.

#ifndef STRIDECAST_ERROR_DETAILS_H_
#define STRIDECAST_ERROR_DETAILS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "stridecast/transport.h"

namespace stridecast {

// The id under which the server logs the call that failed: the trace id of the
// call's traceparent, else 16 hexadecimal digits of the server's own
// ("5f0c31aa00000007"); of a call that was repeated, its last attempt's. Empty
// if no server has answered.
std::string RequestIdOf(const absl::Status& status);
// The same from what CallOptions::on_trailers is given, for calls that succeed,
// too.
std::string RequestIdOf(const CallMetadata& trailers);

// How long the server asks to wait before the call is made again; absent if it
// does not ask. The client has heeded it in the attempts that it has made.
std::optional<absl::Duration> RetryDelayOf(const absl::Status& status);

// The proto path of the field that a kInvalidArgument blames:
// "spec.operands[1].strides.strides". Empty if it names none.
std::string FieldOf(const absl::Status& status);

}  // namespace stridecast

#endif  // STRIDECAST_ERROR_DETAILS_H_
