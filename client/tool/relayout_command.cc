// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast relayout: one tensor in another layout, and element type.

#include <iostream>
#include <memory>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/tool/command.h"
#include "client/tool/layout_flags.h"
#include "client/tool/pnm.h"
#include "client/tool/tensor_file.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

struct RelayoutFlags {
  std::string input;
  std::string output;
  std::string shape;  // of raw bytes
  std::string names;
  std::string convert;
  std::string overflow;
  LayoutFlags layout;
};

absl::StatusOr<std::optional<ConvertAttribute>> ParseConvert(
    const RelayoutFlags& flags) {
  if (flags.convert.empty()) {
    if (flags.overflow.empty()) return std::optional<ConvertAttribute>();
    return absl::InvalidArgumentError("--overflow goes with --convert");
  }
  const auto type = ParseDType(flags.convert);
  if (!type) {
    return absl::InvalidArgumentError(
        absl::StrCat("--convert: no element type \"", flags.convert, "\""));
  }
  ConvertAttribute convert{*type};
  if (flags.overflow == "saturate") convert.overflow = Overflow::kSaturate;
  if (flags.overflow == "wrap") convert.overflow = Overflow::kWrap;
  return std::optional<ConvertAttribute>(convert);
}

absl::Status Relayout(const CommonFlags& common, const RelayoutFlags& flags) {
  std::optional<TensorDesc> shape;
  if (!flags.shape.empty()) {
    ASSIGN_OR_RETURN(shape, ParseShapeString(flags.shape));
  }
  ASSIGN_OR_RETURN(const LoadedTensor operand,
                   ReadTensorFile(flags.input, shape));
  std::string names = flags.names;
  if (names.empty() && LooksLikePnm(operand.file)) names = "HWC";
  if (!names.empty() &&
      names.size() != static_cast<size_t>(operand.desc.rank())) {
    return absl::InvalidArgumentError(
        absl::StrCat("--dims ", names, " for rank ", operand.desc.rank()));
  }
  ASSIGN_OR_RETURN(const PhysicalForm form,
                   ParseForm(flags.layout, operand.desc.rank(), names));
  ASSIGN_OR_RETURN(const auto convert, ParseConvert(flags));

  const Client client = common.Connect();
  const absl::Time start = absl::Now();
  const auto result = client.Relayout(operand.view(), form, convert);
  CallReport report;
  report.elapsed = absl::Now() - start;
  if (!result.ok()) return FromServer(common, result.status());
  report.operands = {operand.desc};
  report.results = {result->view()};
  report.output_paths = {flags.output};
  return Deliver(report, common.json);
}

void AddFlags(CLI::App& command, RelayoutFlags& flags) {
  command
      .add_option("input", flags.input,
                  ".npy, P5 or P6 picture, or raw bytes with --shape")
      ->required()
      ->type_name("FILE");
  command
      .add_option("-o,--output", flags.output,
                  ".npy, .ppm, .pgm, .raw; '-' or none prints")
      ->type_name("FILE");
  command.add_option("--shape", flags.shape,
                     "What the input holds, as in f32[2,3]{0,1}");
  command.add_option("--dims", flags.names,
                     "A letter per dimension of the input, dimension 0 first; "
                     "of a picture HWC");
  command.add_option("--result-layout", flags.layout.order,
                     "row-major, column-major, minor_to_major as in {0,1}, or "
                     "letters from the slowest to the fastest as in NCHW");
  command.add_option("--padded", flags.layout.padded,
                     "Padded extents by dimension number, as in 8,224,224,4");
  command
      .add_option("--padding-value", flags.layout.padding_value,
                  "What padding holds")
      ->check(CLI::IsMember({"zero", "one", "lowest", "highest"}));
  command.add_option("--result-strides", flags.layout.strides,
                     "In elements, by dimension number, as in 5,1");
  command.add_option("--result-offset", flags.layout.offset,
                     "Where the first element lies, in elements");
  command.add_option("--result-elements", flags.layout.total_elements,
                     "Size of the buffer in elements");
  command.add_option("--convert", flags.convert,
                     "Element type of the result: pred, s8 ... c128");
  command
      .add_option("--overflow", flags.overflow,
                  "What becomes of numbers that the new type cannot hold")
      ->check(CLI::IsMember({"saturate", "wrap"}));
}

}  // namespace

void AddRelayoutCommand(CLI::App& app, const CommonFlags& flags,
                        absl::Status& outcome) {
  CLI::App* command = app.add_subcommand(
      "relayout", "Give a tensor another layout and element type");
  auto relayout = std::make_shared<RelayoutFlags>();
  AddFlags(*command, *relayout);
  command->footer(
      "The logical dimensions keep their numbers; only their order in memory\n"
      "changes. A .npy file has the shape of the memory, slowest first.\n"
      "Examples:\n"
      "  stridecast relayout photo.ppm --result-layout CHW -o planes.npy\n"
      "  stridecast relayout batch.npy --dims NHWC --result-layout NCHW "
      "--convert f32 -o x.npy\n"
      "  stridecast relayout a.raw --shape 'f32[2,3]{0,1}'");
  command->callback(
      [&flags, &outcome, relayout] { outcome = Relayout(flags, *relayout); });
}

}  // namespace stridecast
