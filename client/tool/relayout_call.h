// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One tensor through the server's Relayout: what relayout and convert share.

#ifndef STRIDECAST_CLIENT_TOOL_RELAYOUT_CALL_H_
#define STRIDECAST_CLIENT_TOOL_RELAYOUT_CALL_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/tool/command.h"
#include "client/tool/report.h"
#include "client/tool/tensor_file.h"
#include "stridecast/layout.h"
#include "stridecast/request.h"

namespace stridecast {

struct RelayoutFlags {
  std::string input;
  std::string shape;     // of the input
  std::string type;      // of the result's elements
  std::string overflow;  // saturate, wrap
  OutputFlags output;
};

// `type_flag` names the flag of the element type: "--convert".
void AddRelayoutFlags(CLI::App& command, RelayoutFlags& flags,
                      const std::string& type_flag);

absl::StatusOr<LoadedTensor> LoadInput(const RelayoutFlags& flags);

// None if no type was given.
absl::StatusOr<std::optional<ConvertAttribute>> ParseConvert(
    const RelayoutFlags& flags, absl::string_view type_flag);

// Calls the server and delivers the result.
absl::Status CallRelayout(const CommonFlags& common, const RelayoutFlags& flags,
                          const LoadedTensor& operand, const PhysicalForm& form,
                          const std::optional<ConvertAttribute>& convert);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_RELAYOUT_CALL_H_
