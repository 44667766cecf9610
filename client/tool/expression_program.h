// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Programs from the command line: an expression (stridecast/expression.h) and
// the tensors that it names.
//   '(f32(x)/255 - mean)/std' x=photo.png mean=0.485,0.456,0.406@C ...
// NAME=TENSOR@LETTERS: a tensor (tensor_argument.h) and a letter for each of
// its dimensions; a picture has HWC without being told.

#ifndef STRIDECAST_CLIENT_TOOL_EXPRESSION_PROGRAM_H_
#define STRIDECAST_CLIENT_TOOL_EXPRESSION_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/tool/layout_flags.h"
#include "client/tool/program_file.h"

namespace stridecast {

// Each operand must be used: one that is not is a slip, in its name or in the
// expression. The result lies in memory as `layout` says, whose letters are
// those that the result got from the operands. Errors: kInvalidArgument,
// kNotFound, ...; texts begin with the argument, or with "expression: " and
// show the place.
absl::StatusOr<LoadedProgram> LoadExpression(
    const std::string& expression, const std::vector<std::string>& operands,
    const LayoutFlags& layout, TensorPart part = TensorPart::kAll);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_EXPRESSION_PROGRAM_H_
