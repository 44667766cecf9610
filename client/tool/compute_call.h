// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One computation on loaded tensors, of any size: what is too large for a
// message goes as a stream, and its results into their files as they come.

#ifndef STRIDECAST_CLIENT_TOOL_COMPUTE_CALL_H_
#define STRIDECAST_CLIENT_TOOL_COMPUTE_CALL_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "client/tool/command.h"
#include "client/tool/report.h"
#include "client/tool/tensor_file.h"
#include "stridecast/request.h"

namespace stridecast {

// Calls, writes the results and prints the report.
absl::Status CallCompute(const CommonFlags& common, const OutputFlags& output,
                         const Signature& signature,
                         absl::Span<const LoadedTensor> operands);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_COMPUTE_CALL_H_
