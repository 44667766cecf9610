// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/error_details.h"

#include "absl/strings/string_view.h"
#include "proto/wire/status_codec.h"

namespace stridecast {
namespace {

constexpr absl::string_view kRequestIdTrailer = "stridecast-request-id";

}  // namespace

std::string RequestIdOf(const absl::Status& status) {
  return RequestId(status);
}

std::string RequestIdOf(const CallMetadata& trailers) {
  for (const auto& [key, value] : trailers) {
    if (key == kRequestIdTrailer) return value;
  }
  return "";
}

std::optional<absl::Duration> RetryDelayOf(const absl::Status& status) {
  return RetryDelay(status);
}

std::string FieldOf(const absl::Status& status) {
  return std::string(BlamedField(status));
}

}  // namespace stridecast
