// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/expression_program.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/tool/file_bytes.h"
#include "client/tool/tensor_argument.h"
#include "client/tool/usage_error.h"
#include "stridecast/expression.h"
#include "stridecast/program.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// "mean=0.485,0.456,0.406@C".
struct NamedArgument {
  std::string name;
  std::string tensor;
  std::string letters;
};

bool IsName(absl::string_view text) {
  return !text.empty() && !absl::ascii_isdigit(text[0]) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

absl::StatusOr<NamedArgument> ParseArgument(const std::string& argument) {
  const size_t equals = argument.find('=');
  if (equals == std::string::npos || !IsName(argument.substr(0, equals))) {
    return UsageError(
        absl::StrCat(argument,
                     ": operands of an expression are NAME=TENSOR; without an "
                     "expression give the program with --program"));
  }
  NamedArgument named{argument.substr(0, equals), argument.substr(equals + 1),
                      ""};
  const size_t at = named.tensor.rfind('@');
  if (at == std::string::npos) return named;
  const absl::string_view letters =
      absl::string_view(named.tensor).substr(at + 1);
  // Else it is part of a path.
  if (!letters.empty() &&
      std::all_of(letters.begin(), letters.end(), absl::ascii_isalpha)) {
    named.letters = std::string(letters);
    named.tensor.resize(at);
  }
  return named;
}

absl::Status CheckLetters(const NamedArgument& argument,
                          const TensorDesc& desc) {
  if (argument.letters.empty() ||
      argument.letters.size() == static_cast<size_t>(desc.rank())) {
    return absl::OkStatus();
  }
  return UsageError(absl::StrCat(
      argument.name, "=", argument.tensor, "@", argument.letters, ": ",
      argument.letters.size(), " letters for rank ", desc.rank()));
}

absl::StatusOr<std::vector<NamedArgument>> ParseArguments(
    const std::vector<std::string>& operands) {
  std::vector<NamedArgument> arguments;
  std::vector<std::string> paths;
  for (const std::string& operand : operands) {
    ASSIGN_OR_RETURN(NamedArgument argument, ParseArgument(operand));
    for (const NamedArgument& other : arguments) {
      if (other.name != argument.name) continue;
      return UsageError(absl::StrCat(argument.name, ": given twice"));
    }
    paths.push_back(PathOfArgument(argument.tensor));
    arguments.push_back(std::move(argument));
  }
  RETURN_IF_ERROR(CheckOnePipe(paths, "standard input"));
  return arguments;
}

absl::Status CheckUse(const std::vector<NamedArgument>& arguments,
                      const Signature& signature) {
  std::vector<bool> is_used(arguments.size() + signature.instructions.size());
  for (const Instruction& instruction : signature.instructions) {
    for (uint32_t value : instruction.operands) is_used[value] = true;
  }
  for (const ResultSpec& result : signature.results) {
    is_used[result.value.value_or(is_used.size() - 1)] = true;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (is_used[i]) continue;
    return UsageError(
        absl::StrCat(arguments[i].name,
                     ": the expression does not use it; leave it out, "
                     "or is a name mistyped?"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LoadedProgram> LoadExpression(
    const std::string& expression, const std::vector<std::string>& operands,
    const LayoutFlags& layout, TensorPart part) {
  // "an expression is required" says more than what "x=1" is as one.
  if (ParseArgument(expression).ok() &&
      expression.find("==") == expression.npos) {
    return UsageError(
        absl::StrCat("an expression is required before ", expression,
                     "; one that looks like a flag stands behind --"));
  }
  ASSIGN_OR_RETURN(const std::vector<NamedArgument> arguments,
                   ParseArguments(operands));
  LoadedProgram program;
  ProgramBuilder builder;
  ExpressionOperands named;
  for (const NamedArgument& argument : arguments) {
    ASSIGN_OR_RETURN(LoadedTensor tensor,
                     LoadTensor(argument.tensor, std::nullopt, part));
    RETURN_IF_ERROR(CheckLetters(argument, tensor.desc));
    named.emplace(argument.name, ExpressionValue{builder.Parameter(tensor.desc),
                                                 argument.letters.empty()
                                                     ? tensor.dimension_names
                                                     : argument.letters});
    program.operands.push_back(std::move(tensor));
  }
  // A blank may stand before it (arguments.h).
  const auto result = ParseExpression(
      absl::StripLeadingAsciiWhitespace(expression), named, builder);
  if (!result.ok()) return AsUsageError(result.status());
  Value value = result->value;
  std::string names = result->dimensions;
  ASSIGN_OR_RETURN(ValueType type, builder.TypeOf(value));
  if (type.shape.rank() < kMaxRank && AsksForBatch(layout, names)) {
    const auto extents = type.shape.extents();
    DimVector batch = {1};
    batch.insert(batch.end(), extents.begin(), extents.end());
    value = builder.Reshape(value, std::move(batch));
    names = absl::StrCat("N", names);
    ASSIGN_OR_RETURN(type, builder.TypeOf(value));
  }
  auto form = ParseForm(layout, type.type, type.shape, names);
  if (!form.ok()) return AsUsageError(form.status());
  builder.Result(value, *form);
  ASSIGN_OR_RETURN(program.signature, builder.Build());
  RETURN_IF_ERROR(CheckUse(arguments, program.signature));
  return program;
}

}  // namespace stridecast
