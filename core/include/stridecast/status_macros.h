// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The two macros that pass an absl::Status upward, and the one way in which a
// broken rule of a request is reported.
// Rule: the text of every InvalidArgument is "FIELD: what is wrong", FIELD
// being the path of the field in the proto, relative to the message at hand;
// each level that knows more of the path prefixes it with PrefixField.

#ifndef STRIDECAST_STATUS_MACROS_H_
#define STRIDECAST_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#define STRIDECAST_CONCAT_INNER(a, b) a##b
#define STRIDECAST_CONCAT(a, b) STRIDECAST_CONCAT_INNER(a, b)

// Returns from the enclosing function if `expr`, an absl::Status, is not OK.
#define RETURN_IF_ERROR(expr)                           \
  do {                                                  \
    if (absl::Status status_ = (expr); !status_.ok()) { \
      return status_;                                   \
    }                                                   \
  } while (false)

// Assigns the value of `expr`, an absl::StatusOr, to `lhs`, or returns its
// status from the enclosing function.
#define ASSIGN_OR_RETURN(lhs, expr) \
  ASSIGN_OR_RETURN_INNER(STRIDECAST_CONCAT(status_or_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_INNER(status_or, lhs, expr) \
  auto status_or = (expr);                           \
  if (!status_or.ok()) {                             \
    return std::move(status_or).status();            \
  }                                                  \
  lhs = std::move(status_or).value()

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
