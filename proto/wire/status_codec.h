// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// absl::Status to and from grpc::Status, one to one in all 17 codes; the only
// place that makes or reads a grpc::Status.
// Rules:
//   (S1) text is cut to kMaxStatusTextBytes, between characters: it travels in
//        HTTP/2 headers
//   (S2) details are a google.rpc.Status of at most kMaxStatusDetailsBytes with
//        ErrorInfo always, BadRequest for an INVALID_ARGUMENT that names a
//        field, RetryInfo if there is a retry delay
//   (S3) details of a received status become payloads of the absl::Status,
//        under their type URLs, so that nothing is lost on the way

#ifndef STRIDECAST_PROTO_WIRE_STATUS_CODEC_H_
#define STRIDECAST_PROTO_WIRE_STATUS_CODEC_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "grpcpp/support/status.h"

namespace stridecast {

inline constexpr size_t kMaxStatusTextBytes = 1024;
// In base64 with the text below 4 KiB, the limit of some proxies on a header.
inline constexpr size_t kMaxStatusDetailsBytes = 2048;

grpc::Status ToGrpcStatus(const absl::Status& status);
absl::Status FromGrpcStatus(const grpc::Status& status);

// `status` saying that a repetition after `delay` may succeed.
absl::Status WithRetryDelay(absl::Status status, absl::Duration delay);
// None if the status does not say so.
std::optional<absl::Duration> RetryDelay(const absl::Status& status);

// `status` with a reason for machines, in UPPER_SNAKE_CASE ("QUEUE_FULL"), to
// tell apart errors of one code.
absl::Status WithErrorReason(absl::Status status, absl::string_view reason);
// The reason; the name of the code ("INVALID_ARGUMENT") if none was given.
std::string ErrorReason(const absl::Status& status);
// True of every error of our server's; of what gRPC or a proxy said itself,
// false.
bool HasErrorReason(const absl::Status& status);

// `status` saying under which id the server's log has the call
// (google.rpc.RequestInfo).
absl::Status WithRequestId(absl::Status status, absl::string_view request_id);
// Empty if the status does not say so.
std::string RequestId(const absl::Status& status);

// The path of the field that an INVALID_ARGUMENT blames, empty if it names
// none: the text before the first ": " (status_macros.h), without the operation
// that follows it in "instructions[2].pad.low (PAD): ...".
absl::string_view BlamedField(const absl::Status& status);

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_STATUS_CODEC_H_
