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
#include "client/tool/output_file.h"
#include "client/tool/tensor_file.h"
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
// results for one pipe or file, binary data for a terminal.
// Errors: kInvalidArgument, usage errors, here and below.
absl::Status CheckOutputs(const OutputFlags& output);
absl::Status CheckOutputCount(const OutputFlags& output, size_t num_results);

// Of a result whose values are printed: empty.
std::string PathOf(const OutputFlags& output, size_t result);

// Whether a result whose values are printed has few enough for that. Text ends
// after some (kMaxPrintedElements), JSON would be cut short.
// Errors: kResourceExhausted.
absl::Status CheckPrintable(const CommonFlags& flags, const TensorDesc& result);

// What --format says, or the name.
// REQUIRES: CheckOutputs found no fault.
FileFormat FormatOf(const OutputFlags& output, const std::string& path);

struct ReportedResult {
  // Without data if `file` has it already.
  TensorView view;
  std::optional<OutputFile> file = std::nullopt;
};

struct CallReport {
  std::vector<TensorDesc> operands;
  std::vector<ReportedResult> results;
  std::optional<absl::Duration> elapsed;  // none: no server was called
};

// Writes the files, all or none of them, and prints the report.
absl::Status Deliver(const CommonFlags& flags, const OutputFlags& output,
                     CallReport report);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_REPORT_H_
