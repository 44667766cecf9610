// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What somebody may have meant whose expression is wrong: the ends of errors.

#ifndef STRIDECAST_CLIENT_EXPRESSION_ADVICE_H_
#define STRIDECAST_CLIENT_EXPRESSION_ADVICE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "stridecast/dtype.h"

namespace stridecast {

// Of a name that means nothing: "; did you mean \"mean\"?" if one of
// `candidates` is near, "" if none is.
std::string DidYouMean(absl::string_view name,
                       const std::vector<std::string>& candidates);

// Of a function's name or an element type's where a value should be:
// "sqrt(x)"; "" if `name` is neither.
std::string CallOf(absl::string_view name);

// Of a name that is no element type: the one that NumPy calls so (uint8), or
// all if it looks like one (f99); "" else.
std::string TypeAdvice(absl::string_view name);

// Of a function of NumPy that has another name here, or none; "" else.
std::string FunctionAdvice(absl::string_view name);

// Of operands of these types, which differ: the conversion that loses less.
std::string ConversionAdvice(DType a, DType b);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_EXPRESSION_ADVICE_H_
