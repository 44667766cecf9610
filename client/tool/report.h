// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where results go and what is said of a call. Without -o values are part of
// the report on standard output; "-o -" writes a file there instead, and then
// nothing else.

#ifndef STRIDECAST_CLIENT_TOOL_REPORT_H_
#define STRIDECAST_CLIENT_TOOL_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/tool/command.h"
#include "stridecast/tensor.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

struct OutputFlags {
  // One per result. Fewer: the values of the others are printed.
  std::vector<std::string> paths;
  std::string format;  // empty: as each name says
};

// -o and --format. `many`: -o may be repeated.
void AddOutputFlags(CLI::App& command, OutputFlags& output, bool many);

// Faults of the flags that are known before the call is made: no format, two
// results for one pipe, binary data for a terminal.
// Errors: kInvalidArgument.
absl::Status CheckOutputs(const OutputFlags& output);

struct CallReport {
  std::vector<TensorDesc> operands;
  std::vector<TensorView> results;
  std::optional<absl::Duration> elapsed;  // none: no server was called
};

// Writes the files and prints the report.
absl::Status Deliver(const CommonFlags& flags, const OutputFlags& output,
                     const CallReport& report);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_REPORT_H_
