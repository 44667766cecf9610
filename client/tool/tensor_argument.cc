// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/tensor_argument.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/tool/literal.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Enough of a long literal to know it again.
constexpr size_t kShownCharacters = 40;

std::string Shortened(const std::string& text) {
  if (text.size() <= kShownCharacters) return text;
  return absl::StrCat(text.substr(0, kShownCharacters), "...");
}

struct FileArgument {
  std::string path;
  std::string shape;  // empty: none
};

FileArgument SplitShape(const std::string& argument) {
  const size_t colon = argument.rfind(':');
  if (colon == std::string::npos ||
      !BeginsWithShape(absl::string_view(argument).substr(colon + 1))) {
    return {argument, ""};
  }
  const std::string path = argument.substr(0, colon);
  return {path == " -" ? "-" : path, argument.substr(colon + 1)};
}

absl::StatusOr<LoadedTensor> LoadLiteral(
    const std::string& argument, const std::optional<TensorDesc>& expected) {
  auto literal = ParseLiteral(argument, expected);
  if (!literal.ok()) {
    return PrefixField(absl::StrCat("'", Shortened(argument), "': "),
                       literal.status());
  }
  LoadedTensor loaded;
  loaded.path = Shortened(argument);
  loaded.desc = std::move(literal->desc);
  loaded.file = std::move(literal->bytes);
  return loaded;
}

}  // namespace

const char kTensorHelp[] =
    "A TENSOR is one of\n"
    "  photo.png                a .npy, PNG or binary PPM or PGM file\n"
    "  photo.raw:u8[300,451,3]  raw little-endian bytes, and what they are\n"
    "  -                        such a file on standard input; -:SHAPE, raw\n"
    "  'f32[2,3] 1 2 3 4 5 6'   the elements themselves in row-major order,\n"
    "                           whatever the layout: f32[2,3]{0,1} ...\n"
    "  0.485,0.456,0.406        a vector of f32, 1.5 a scalar\n"
    "A file whose name looks like one of the others is ./NAME.\n";

absl::StatusOr<LoadedTensor> LoadTensor(
    const std::string& argument, const std::optional<TensorDesc>& expected) {
  if (LooksLikeLiteral(argument)) return LoadLiteral(argument, expected);
  const FileArgument file = SplitShape(argument);
  if (file.shape.empty()) return ReadTensorFile(file.path, expected);
  const auto stated = ParseShapeString(file.shape);
  if (!stated.ok()) {
    return PrefixField(absl::StrCat(file.path, ": "), stated.status());
  }
  if (expected && stated->ToString() != expected->ToString()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.path, ": said to hold ", stated->ToString(),
                     "; the program states ", expected->ToString()));
  }
  return ReadTensorFile(file.path, expected ? expected : *stated);
}

std::string PathOfArgument(const std::string& argument) {
  return LooksLikeLiteral(argument) ? "" : SplitShape(argument).path;
}

}  // namespace stridecast
