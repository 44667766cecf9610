// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tensors from and to files. What a file is, is read off its first bytes when
// reading (.npy, P5/P6 picture, else raw little-endian bytes) and off its name
// when writing (.npy; .ppm, .pgm, .pnm; .raw, .bin).

#ifndef STRIDECAST_CLIENT_TOOL_TENSOR_FILE_H_
#define STRIDECAST_CLIENT_TOOL_TENSOR_FILE_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stridecast/tensor.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

// A file in memory and the tensor that lies in it.
struct LoadedTensor {
  std::string path;
  TensorDesc desc;
  std::string file;
  size_t data_offset = 0;

  // Valid as long as this object stays where it is.
  TensorView view() const {
    return {desc,
            reinterpret_cast<const std::byte*>(file.data() + data_offset)};
  }
};

// Reads the tensor in the file at `path`. If `expected` is given, the file must
// hold it, physical form included (npy.h, N2), and it becomes the descriptor;
// raw bytes cannot be read without.
// Errors: kInvalidArgument, kNotFound, ...; texts begin with the path.
absl::StatusOr<LoadedTensor> ReadTensorFile(
    const std::string& path, const std::optional<TensorDesc>& expected);

// Errors: kInvalidArgument if the format cannot hold the tensor or the name
// says no format; texts begin with the path.
absl::Status WriteTensorFile(const std::string& path, const TensorView& tensor);

// The bytes of a file; "-" is standard input.
absl::StatusOr<std::string> ReadFile(const std::string& path);
absl::Status WriteFile(const std::string& path, absl::string_view head,
                       absl::string_view tail = {});

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_TENSOR_FILE_H_
