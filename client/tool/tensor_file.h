// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tensors from and to files. What a file is, is read off its first bytes when
// reading (.npy, PNG, P5/P6 picture, else raw little-endian bytes) and off its
// name when writing (.npy; .png; .ppm, .pgm, .pnm; .raw, .bin). "-" is standard
// input and output; written there is .npy unless another format is asked for.

#ifndef STRIDECAST_CLIENT_TOOL_TENSOR_FILE_H_
#define STRIDECAST_CLIENT_TOOL_TENSOR_FILE_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/tool/input_file.h"
#include "client/tool/output_file.h"
#include "stridecast/tensor.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

// What is wanted of an input: all of it, or what it says of its shape, for
// which samples are not decoded and elements need not be there.
enum class TensorPart { kAll, kDescription };

// A file and the tensor that lies in it.
struct LoadedTensor {
  std::string path;
  TensorDesc desc;
  InputFile file;
  size_t data_offset = 0;
  // A letter per dimension if the format names them: pictures are "HWC".
  std::string dimension_names;

  // Valid as long as this object stays where it is.
  // REQUIRES: it was read with TensorPart::kAll.
  TensorView view() const {
    return {desc, reinterpret_cast<const std::byte*>(file.bytes().data() +
                                                     data_offset)};
  }
};

// Reads the tensor in the file at `path`. If `expected` is given, the file must
// hold it, physical form included (npy.h, N2), and it becomes the descriptor;
// raw bytes cannot be read without. A file of just its size is raw whatever it
// begins with, unless its name is that of another format.
// Errors: kInvalidArgument, kNotFound, ...; texts begin with the path.
absl::StatusOr<LoadedTensor> ReadTensorFile(
    const std::string& path, const std::optional<TensorDesc>& expected,
    TensorPart part = TensorPart::kAll);

enum class FileFormat { kNpy, kPng, kPnm, kRaw };

// "npy", "png", "pnm" (also "ppm", "pgm"), "raw" (also "bin").
std::optional<FileFormat> ParseFileFormat(absl::string_view name);

// What the path's ending says; .npy for "-".
// Errors: kInvalidArgument if it says nothing; texts begin with the path, here
// and below.
absl::StatusOr<FileFormat> FormatOfName(const std::string& path);

// What a file of `format` has before the bytes of a tensor, which follow as
// they lie in memory; none if they have to be known before the first byte.
std::optional<std::string> HeadOfFile(FileFormat format,
                                      const TensorDesc& desc);

// Writes all of a file, but does not commit it.
// Errors: kInvalidArgument if the format cannot hold the tensor; texts begin
// with `path`.
absl::Status WriteTensor(OutputFile& file, const std::string& path,
                         const TensorView& tensor, FileFormat format);

// Writes `format`, or if that is not given FormatOfName.
// Errors: kInvalidArgument if the format cannot hold the tensor.
absl::Status WriteTensorFile(const std::string& path, const TensorView& tensor,
                             std::optional<FileFormat> format = std::nullopt);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_TENSOR_FILE_H_
