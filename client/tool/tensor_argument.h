// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What an argument of the command line means that stands for a tensor. The
// first of these that fits:
//   f32[2,3] 1 2 3 4 5 6    a literal, also 0.485,0.456,0.406 (literal.h)
//   -                       a file on standard input
//   photo.raw:u8[300,451,3] a file, and what it holds; also -:u8[300,451,3]
//   photo.png               a file (tensor_file.h)
// A file whose name looks like a literal is "./NAME". A blank may stand before
// a number and "-:" (arguments.h).

#ifndef STRIDECAST_CLIENT_TOOL_TENSOR_ARGUMENT_H_
#define STRIDECAST_CLIENT_TOOL_TENSOR_ARGUMENT_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/tool/tensor_file.h"
#include "stridecast/tensor.h"

namespace stridecast {

// The same for the help of every command that takes a tensor.
extern const char kTensorHelp[];

// Reads the tensor that `argument` stands for. If `expected` is given, it must
// be that one (ReadTensorFile, ParseLiteral).
// For a description a bare shape, f32[2,3]{0,1}, stands for a tensor, too.
// Errors: as those; texts begin with the argument. What is wrong with the
// argument, and not with the file, is a usage error.
absl::StatusOr<LoadedTensor> LoadTensor(
    const std::string& argument, const std::optional<TensorDesc>& expected,
    TensorPart part = TensorPart::kAll);

// The path in such an argument: "-" of "-:u8[3]", "" of a literal.
std::string PathOfArgument(const std::string& argument);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_TENSOR_ARGUMENT_H_
