// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Programs from files: a stridecast.v1.ComputeSpec in proto3 JSON, and the
// files of its operands.

#ifndef STRIDECAST_CLIENT_TOOL_PROGRAM_FILE_H_
#define STRIDECAST_CLIENT_TOOL_PROGRAM_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/tool/tensor_file.h"
#include "stridecast/request.h"

namespace stridecast {

struct LoadedProgram {
  Signature signature;
  // One per operand, or none if no files were given.
  std::vector<LoadedTensor> operands;
};

// Reads the program at `path` ("-": standard input) and the operands
// (tensor_argument.h): "FILE" is the next operand without one, "2=FILE" is
// operand 2. One that the program leaves out, or states as {}, is described by
// its file; a program that states none has to use all that are given.
// Errors: kInvalidArgument, kNotFound, ...; texts begin with the path.
absl::StatusOr<LoadedProgram> LoadProgram(
    const std::string& path, const std::vector<std::string>& operand_files,
    TensorPart part = TensorPart::kAll);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_PROGRAM_FILE_H_
