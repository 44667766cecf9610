// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast relayout: one tensor in another layout, and element type.

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/tool/command.h"
#include "client/tool/flag_values.h"
#include "client/tool/layout_flags.h"
#include "client/tool/relayout_call.h"
#include "client/tool/tensor_argument.h"
#include "client/tool/usage_error.h"
#include "stridecast/layouts.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr char kTypeFlag[] = "--convert";

struct FormFlags {
  std::string names;
  LayoutFlags layout;
};

absl::Status Relayout(const CommonFlags& common, const RelayoutFlags& flags,
                      const FormFlags& form_flags) {
  ASSIGN_OR_RETURN(const auto convert, ParseConvert(flags, kTypeFlag));
  ASSIGN_OR_RETURN(LoadedTensor operand, LoadInput(flags));
  const int rank = operand.desc.rank();
  std::string names =
      form_flags.names.empty() ? operand.dimension_names : form_flags.names;
  names.erase(std::remove_if(names.begin(), names.end(), absl::ascii_isspace),
              names.end());
  if (!names.empty() && names.size() != static_cast<size_t>(rank)) {
    return UsageError(absl::StrCat("--dims ", names, " for rank ", rank));
  }
  if (rank < kMaxRank && AsksForBatch(form_flags.layout, names)) {
    ASSIGN_OR_RETURN(operand.desc, Promote(operand.desc, rank + 1));
    names = absl::StrCat("N", names);
  }
  auto form = ParseForm(form_flags.layout,
                        convert ? convert->type : operand.desc.type(),
                        operand.desc.shape(), names);
  if (!form.ok()) return AsUsageError(form.status());
  return CallRelayout(common, flags, operand, *form, convert);
}

void AddFormFlags(CLI::App& command, FormFlags& flags) {
  command
      .add_option("--dims", flags.names,
                  "A letter per dimension of the input, dimension 0 first; "
                  "of a picture HWC")
      ->type_name("LETTERS");
  command
      .add_option("--result-layout", flags.layout.order,
                  "row-major, column-major, minor_to_major as in {0,1}, or "
                  "letters from the slowest to the fastest as in NCHW; N where "
                  "there is none makes a batch of one")
      ->type_name("LAYOUT");
  command
      .add_option("--padded", flags.layout.padded,
                  "Padded extents by dimension number, as in 8,224,224,4")
      ->type_name("LIST");
  command
      .add_option("--padding-value", flags.layout.padding_value,
                  "What padding holds")
      ->check(CLI::IsMember({"zero", "one", "lowest", "highest"}));
  command
      .add_option("--result-strides", flags.layout.strides,
                  "In elements, by dimension number, as in 5,1")
      ->type_name("LIST");
  command
      .add_option("--result-offset", flags.layout.offset,
                  "Where the first element lies, in elements")
      ->check(Whole(0, std::numeric_limits<int64_t>::max()));
  command
      .add_option("--result-elements", flags.layout.total_elements,
                  "Size of the buffer in elements")
      ->check(Whole(0, std::numeric_limits<int64_t>::max()));
}

}  // namespace

void AddRelayoutCommand(CLI::App& app, const CommonFlags& flags,
                        absl::Status& outcome) {
  CLI::App* command = app.add_subcommand(
      "relayout", "Give a tensor another layout and element type");
  auto relayout = std::make_shared<RelayoutFlags>();
  auto form = std::make_shared<FormFlags>();
  AddRelayoutFlags(*command, *relayout, kTypeFlag);
  AddFormFlags(*command, *form);
  command->footer(absl::StrCat(
      kTensorHelp,
      "The logical dimensions keep their numbers; only their order in memory\n"
      "changes. A .npy file has the shape of the memory, slowest first.\n"
      "Examples:\n"
      "  stridecast relayout photo.png --result-layout CHW -o planes.npy\n"
      "  stridecast relayout batch.npy --dims NHWC --result-layout NCHW "
      "--convert f32 -o x.npy\n"
      "  stridecast relayout 'a.raw:f32[2,3]{0,1}'\n"
      "  stridecast relayout x.npy --result-layout column-major -o - | ..."));
  command->callback([&flags, &outcome, relayout, form] {
    outcome = Relayout(flags, *relayout, *form);
  });
}

}  // namespace stridecast
