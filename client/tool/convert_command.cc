// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast convert: one tensor in another file format, and element type. The
// server is called only where elements or their order change.

#include <memory>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "client/tool/command.h"
#include "client/tool/relayout_call.h"
#include "client/tool/tensor_argument.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr char kTypeFlag[] = "--to";

absl::Status Convert(const CommonFlags& common, const RelayoutFlags& flags) {
  ASSIGN_OR_RETURN(const auto convert, ParseConvert(flags, kTypeFlag));
  ASSIGN_OR_RETURN(const LoadedTensor operand, LoadInput(flags));
  const bool keeps_type = !convert || convert->type == operand.desc.type();
  if (!keeps_type || !operand.desc.layout().IsContiguous()) {
    return CallRelayout(common, flags, operand, {}, convert);
  }
  CallReport report;
  report.operands = {operand.desc};
  report.results.push_back({operand.view()});
  return Deliver(common, flags.output, std::move(report));
}

}  // namespace

void AddConvertCommand(CLI::App& app, const CommonFlags& flags,
                       absl::Status& outcome) {
  CLI::App* command = app.add_subcommand(
      "convert", "Give a tensor another file format and element type");
  auto convert = std::make_shared<RelayoutFlags>();
  AddRelayoutFlags(*command, *convert, kTypeFlag);
  command->footer(absl::StrCat(
      kTensorHelp,
      "The result is row-major. Numbers are not scaled: 255 of u8 is 255.0 of\n"
      "f32. The server is called only where elements or their order change.\n"
      "Examples:\n"
      "  stridecast convert photo.png -o photo.npy\n"
      "  stridecast convert photo.png --to f32 -o photo.npy\n"
      "  stridecast convert x.npy --to u8 --overflow saturate -o photo.png\n"
      "  stridecast convert - --format raw -o - <x.npy >x.raw"));
  command->callback(
      [&flags, &outcome, convert] { outcome = Convert(flags, *convert); });
}

}  // namespace stridecast
