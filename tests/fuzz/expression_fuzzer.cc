// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// libFuzzer target: any bytes as an expression on a few operands. It gives a
// value of a program that can be built, or an error that ends in a caret and
// leaves the program as it was.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "stridecast/expression.h"

namespace stridecast {
namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

void Parse(absl::string_view text) {
  ProgramBuilder b;
  const auto operand = [&b](const char* shape, const char* letters) {
    return ExpressionValue{b.Parameter(*ParseShapeString(shape)), letters};
  };
  const ExpressionOperands operands = {
      {"x", operand("f32[4,5,3]", "HWC")}, {"c", operand("f32[3]", "C")},
      {"v", operand("f32[3]", "")},        {"i", operand("s32[5,1]", "")},
      {"u", operand("u8[]", "")},          {"p", operand("pred[0,3]", "")}};
  const auto value = ParseExpression(text, operands, b);
  Check(b.Build().ok());
  if (value.ok()) {
    Check(b.TypeOf(value->value).ok());
    return;
  }
  Check(b.Build()->instructions.empty());
  Check(value.status().code() == absl::StatusCode::kInvalidArgument);
  Check(absl::EndsWith(value.status().message(), "^"));
}

}  // namespace
}  // namespace stridecast

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stridecast::Parse({reinterpret_cast<const char*>(data), size});
  return 0;
}
