// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Requests whose answer, or refusal, SEMANTICS.md fixes: a table of data that
// the tests of each way into the service drive (the core, the C++ client, a
// generic gRPC client with typed lists).
// Rule: every number can be written in a typed list, in physical order,
// padding included; a complex number is two entries; a NaN is the canonical
// one.

#ifndef STRIDECAST_TESTS_SUPPORT_EXAMPLES_H_
#define STRIDECAST_TESTS_SUPPORT_EXAMPLES_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "stridecast/request.h"
#include "tests/support/reference.h"

namespace stridecast::testing {

using Number = std::variant<int64_t, uint64_t, double>;
using Numbers = std::vector<Number>;

struct Example {
  std::string name;  // a C++ identifier
  Signature signature;
  std::vector<Numbers> operands;      // one list per operand
  std::vector<Numbers> results = {};  // of an accepted request, one per result

  // Of a refused request: the code, and what its text must contain.
  absl::StatusCode code = absl::StatusCode::kOk;
  std::vector<std::string> texts = {};
};

// Layouts, broadcasting, operations, refusals; names are distinct.
const std::vector<Example>& AllExamples();

// Of operations that the engine is still to learn: the oracle alone knows them.
// Whoever builds one moves its rows to AllExamples().
const std::vector<Example>& UpcomingExamples();

// A buffer of `type` as bytes. Floating-point numbers are rounded to nearest
// even; integers must be in the range of an integer type.
Bytes EncodeNumbers(DType type, absl::Span<const Number> numbers);

// "1 2 -0 nan": for messages of tests.
std::string NumbersToString(DType type, const Bytes& buffer);

// The parts of AllExamples().
std::vector<Example> LayoutExamples();
std::vector<Example> BroadcastExamples();
std::vector<Example> ArithmeticExamples();
std::vector<Example> BinaryExamples();
std::vector<Example> IntegerExamples();
std::vector<Example> UnaryExamples();
std::vector<Example> ActivationExamples();
std::vector<Example> FunctionExamples();
std::vector<Example> ConversionExamples();
std::vector<Example> ViewExamples();
std::vector<Example> DataExamples();
std::vector<Example> RefusedExamples();

// The parts of UpcomingExamples().
std::vector<Example> UpcomingFunctionExamples();

inline void PrintTo(const Example& example, std::ostream* out) {
  *out << example.name;
}

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_EXAMPLES_H_
