// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where we differ from protobuf: an unknown field in a request is an error, so
// that an older server never ignores what a newer client meant.

#ifndef STRIDECAST_PROTO_WIRE_UNKNOWN_FIELDS_H_
#define STRIDECAST_PROTO_WIRE_UNKNOWN_FIELDS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace stridecast {

// Errors: kInvalidArgument, path and number being the field:
// "spec.operands[1].layout.6: ...". Works on messages of any depth.
absl::Status CheckNoUnknownFields(const google::protobuf::Message& message);

// The error for field `number` of a message of type `type`, found at `path`
// (empty, or ending with a dot).
absl::Status UnknownFieldError(absl::string_view path, int number,
                               absl::string_view type);

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_UNKNOWN_FIELDS_H_
