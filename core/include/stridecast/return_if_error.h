// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The two macros that pass an absl::Status upward:
//
//   absl::Status Halve(const Client& client, const TensorView& x) {
//     STRIDECAST_ASSIGN_OR_RETURN(const Signature program, HalfOf(x.desc));
//     STRIDECAST_ASSIGN_OR_RETURN(const auto results,
//                                 client.Compute(program, {x}));
//     STRIDECAST_RETURN_IF_ERROR(Save(results.front()));
//     return absl::OkStatus();
//   }
//
// Installed headers define no macro whose name begins otherwise, so that each
// program may have short names of its own.

#ifndef STRIDECAST_RETURN_IF_ERROR_H_
#define STRIDECAST_RETURN_IF_ERROR_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define STRIDECAST_CONCAT_INNER(a, b) a##b
#define STRIDECAST_CONCAT(a, b) STRIDECAST_CONCAT_INNER(a, b)

// Returns from the enclosing function if `expr`, an absl::Status, is not OK.
#define STRIDECAST_RETURN_IF_ERROR(expr)                \
  do {                                                  \
    if (absl::Status status_ = (expr); !status_.ok()) { \
      return status_;                                   \
    }                                                   \
  } while (false)

// Assigns the value of `expr`, an absl::StatusOr, to `lhs`, or returns its
// status from the enclosing function.
#define STRIDECAST_ASSIGN_OR_RETURN(lhs, expr)                               \
  STRIDECAST_ASSIGN_OR_RETURN_INNER(STRIDECAST_CONCAT(status_or_, __LINE__), \
                                    lhs, expr)
#define STRIDECAST_ASSIGN_OR_RETURN_INNER(status_or, lhs, expr) \
  auto status_or = (expr);                                      \
  if (!status_or.ok()) {                                        \
    return std::move(status_or).status();                       \
  }                                                             \
  lhs = std::move(status_or).value()

#endif  // STRIDECAST_RETURN_IF_ERROR_H_
