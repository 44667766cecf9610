// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where in the text of an expression something stands, and errors that show it.

#ifndef STRIDECAST_CLIENT_EXPRESSION_PLACE_H_
#define STRIDECAST_CLIENT_EXPRESSION_PLACE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stridecast {

// Bytes [begin, end) of the text.
struct Place {
  size_t begin = 0;
  size_t end = 0;
};

// kInvalidArgument, in three lines: "expression: MESSAGE", the line of the text
// that `place` begins in, carets under the place. Of a long line a window
// around the place is shown, cut ends as "...". Each code point counts as one
// column; tabs become spaces, other control characters and what is not UTF-8
// question marks.
absl::Status ErrorAt(absl::string_view text, Place place,
                     absl::string_view message);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_EXPRESSION_PLACE_H_
