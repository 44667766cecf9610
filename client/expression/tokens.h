// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The words of an expression: numbers, names and symbols.

#ifndef STRIDECAST_CLIENT_EXPRESSION_TOKENS_H_
#define STRIDECAST_CLIENT_EXPRESSION_TOKENS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/expression/place.h"
#include "stridecast/dtype.h"
#include "stridecast/number.h"

namespace stridecast {

struct Token {
  enum class Kind : int8_t { kNumber, kName, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  Place place;
  absl::string_view text;     // as it stands in the expression; "" at the end
  Number number = 0;          // of numbers
  std::optional<DType> type;  // of numbers with a suffix

  bool Is(absl::string_view symbol) const {
    return kind == Kind::kSymbol && text == symbol;
  }
};

// The last one is kEnd, right behind the one before it. Views into `text`.
// Errors: kInvalidArgument with the place.
absl::StatusOr<std::vector<Token>> Tokenize(absl::string_view text);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_EXPRESSION_TOKENS_H_
