// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The short names of the two macros that pass an absl::Status upward, for this
// project's own files, and the one way in which a broken rule of a request is
// reported. Not installed, nor included by what is: short names would be
// everybody's.
// Rule: the text of every InvalidArgument is "FIELD: what is wrong", FIELD
// being the path of the field in the proto, relative to the message at hand;
// each level that knows more of the path prefixes it with PrefixField.

#ifndef STRIDECAST_STATUS_MACROS_H_
#define STRIDECAST_STATUS_MACROS_H_

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stridecast/return_if_error.h"

#define RETURN_IF_ERROR(expr) STRIDECAST_RETURN_IF_ERROR(expr)
#define ASSIGN_OR_RETURN(lhs, expr) STRIDECAST_ASSIGN_OR_RETURN(lhs, expr)

namespace stridecast {

// InvalidArgument "field: parts...".
template <typename... Parts>
absl::Status FieldError(absl::string_view field, const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", parts...));
}

// `status` with `prefix` put before its text, payloads kept; OK stays OK.
inline absl::Status PrefixField(absl::string_view prefix,
                                const absl::Status& status) {
  if (status.ok()) return status;
  absl::Status prefixed(status.code(), absl::StrCat(prefix, status.message()));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) {
    prefixed.SetPayload(url, payload);
  });
  return prefixed;
}

}  // namespace stridecast

#endif  // STRIDECAST_STATUS_MACROS_H_
