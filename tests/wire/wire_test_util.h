// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Messages as text, bytes, byte buffers and golden files, and what tests say of
// an error.

#ifndef STRIDECAST_TESTS_WIRE_WIRE_TEST_UTIL_H_
#define STRIDECAST_TESTS_WIRE_WIRE_TEST_UTIL_H_

#include <cstddef>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "google/protobuf/message.h"
#include "grpcpp/support/byte_buffer.h"
#include "stridecast/segments.h"

namespace stridecast::testing {

// Reads a message in text format; aborts the test program on a wrong one.
void ParseText(absl::string_view text, google::protobuf::Message* message);

template <typename Message>
Message FromText(absl::string_view text) {
  Message message;
  ParseText(text, &message);
  return message;
}

// `bytes` in slices of at most `slice_bytes`.
grpc::ByteBuffer ToByteBuffer(absl::string_view bytes,
                              size_t slice_bytes = size_t{1} << 20);
grpc::ByteBuffer ToByteBuffer(const google::protobuf::Message& message,
                              size_t slice_bytes = size_t{1} << 20);

std::string ToBytes(const grpc::ByteBuffer& buffer);
std::string ToBytes(const SegmentedBytes& bytes);

SegmentedBytes ViewOf(absl::string_view bytes);

// A file of tests/golden; the message of NAME.hex.
std::string ReadGolden(const std::string& name);
std::string GoldenBytes(const std::string& name);

inline const absl::Status& StatusOf(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

// The error has that code and its text begins with `text`: its field, and as
// much of the rest as matters.
MATCHER_P2(FailsWith, code, text, "") {
  const absl::Status& status = StatusOf(arg);
  *result_listener << "which is " << status.ToString();
  return status.code() == code && absl::StartsWith(status.message(), text);
}

template <typename Text>
auto IsInvalid(const Text& text) {
  return FailsWith(absl::StatusCode::kInvalidArgument, text);
}

MATCHER(IsOk, "") {
  const absl::Status& status = StatusOf(arg);
  *result_listener << "which is " << status.ToString();
  return status.ok();
}

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_WIRE_WIRE_TEST_UTIL_H_
