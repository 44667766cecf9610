// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/relayout_call.h"

#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "client/tool/compute_call.h"
#include "client/tool/element_parser.h"
#include "client/tool/tensor_argument.h"
#include "client/tool/usage_error.h"
#include "stridecast/program.h"
#include "stridecast/status_macros.h"

namespace stridecast {

void AddRelayoutFlags(CLI::App& command, RelayoutFlags& flags,
                      const std::string& type_flag) {
  command.add_option("input", flags.input, "What the tensor is, see below")
      ->required()
      ->type_name("TENSOR");
  AddOutputFlags(command, flags.output, false);
  command
      .add_option("--shape", flags.shape,
                  "What the input holds, as in 'f32[2,3]{0,1}'")
      ->type_name("SHAPE");
  command
      .add_option(type_flag, flags.type,
                  "Element type of the result: pred, s8 ... c128")
      ->type_name("TYPE");
  command
      .add_option("--overflow", flags.overflow,
                  "What becomes of numbers that the new type cannot hold; "
                  "none: integers wrap, floats saturate")
      ->check(CLI::IsMember({"saturate", "wrap"}));
}

absl::StatusOr<LoadedTensor> LoadInput(const RelayoutFlags& flags) {
  RETURN_IF_ERROR(CheckOutputs(flags.output));
  std::optional<TensorDesc> shape;
  if (!flags.shape.empty()) {
    auto parsed = ParseShapeString(flags.shape);
    if (!parsed.ok()) {
      return AsUsageError(PrefixField("--shape: ", parsed.status()));
    }
    shape = *std::move(parsed);
  }
  return LoadTensor(flags.input, shape);
}

absl::StatusOr<std::optional<ConvertAttribute>> ParseConvert(
    const RelayoutFlags& flags, absl::string_view type_flag) {
  if (flags.type.empty()) {
    if (flags.overflow.empty()) return std::optional<ConvertAttribute>();
    return UsageError(absl::StrCat("--overflow goes with ", type_flag));
  }
  const auto type = ParseDType(flags.type);
  if (!type) {
    return UsageError(absl::StrCat(type_flag, ": no element type \"",
                                   flags.type, "\"; there are ",
                                   ElementTypeNames()));
  }
  ConvertAttribute convert{*type};
  if (flags.overflow == "saturate") convert.overflow = Overflow::kSaturate;
  if (flags.overflow == "wrap") convert.overflow = Overflow::kWrap;
  return std::optional<ConvertAttribute>(convert);
}

absl::Status CallRelayout(const CommonFlags& common, const RelayoutFlags& flags,
                          const LoadedTensor& operand, const PhysicalForm& form,
                          const std::optional<ConvertAttribute>& convert) {
  return CallCompute(common, flags.output,
                     RelayoutSignature(operand.desc, form, convert),
                     {&operand, 1});
}

}  // namespace stridecast
