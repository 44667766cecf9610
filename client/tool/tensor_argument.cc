// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/tensor_argument.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/tool/element_parser.h"
#include "client/tool/literal.h"
#include "client/tool/usage_error.h"
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
    const std::string& argument, const std::optional<TensorDesc>& expected,
    TensorPart part) {
  const auto load = [&]() -> absl::StatusOr<LoadedTensor> {
    LoadedTensor loaded;
    loaded.path = Shortened(argument);
    if (part == TensorPart::kDescription && IsBareShape(argument)) {
      ASSIGN_OR_RETURN(loaded.desc, DescOfLiteral(argument, expected));
      return loaded;
    }
    ASSIGN_OR_RETURN(Literal literal, ParseLiteral(argument, expected));
    loaded.desc = std::move(literal.desc);
    loaded.file = InputFile(std::move(literal.bytes));
    return loaded;
  };
  auto loaded = load();
  if (loaded.ok()) return loaded;
  return AsUsageError(PrefixField(absl::StrCat("'", Shortened(argument), "': "),
                                  loaded.status()));
}

// "f99" of "f99[2] 1 2" and of "x.raw:f99[2]"; empty if it does not look as if
// an element type was meant.
absl::string_view UnknownType(absl::string_view argument) {
  const size_t bracket = argument.find('[');
  if (bracket == absl::string_view::npos) return "";
  const absl::string_view name = absl::StripAsciiWhitespace(
      argument.substr(0, bracket).substr(argument.rfind(':', bracket) + 1));
  const bool is_word =
      !name.empty() && absl::ascii_isalpha(name[0]) &&
      std::all_of(name.begin(), name.end(), absl::ascii_isalnum);
  return is_word && !ParseDType(name) ? name : "";
}

}  // namespace

const char kTensorHelp[] =
    "A TENSOR is one of\n"
    "  photo.png                a .npy, PNG or binary PPM or PGM file\n"
    "  photo.raw:u8[300,451,3]  raw little-endian bytes, and what they are\n"
    "  -                        such a file on standard input; -:SHAPE, raw\n"
    "  'f32[2,3] 1 2 3 4 5 6'   the elements themselves in row-major order,\n"
    "                           whatever the layout: f32[2,3]{0,1} ...\n"
    "  0.485,0.456,0.406        a vector of f32, 1.5 a scalar; nan, inf, -inf\n"
    "A file whose name looks like one of the others is ./NAME.\n";

absl::StatusOr<LoadedTensor> LoadTensor(
    const std::string& argument, const std::optional<TensorDesc>& expected,
    TensorPart part) {
  if (LooksLikeLiteral(argument)) return LoadLiteral(argument, expected, part);
  const FileArgument file = SplitShape(argument);
  if (file.path.empty()) {
    return UsageError(absl::StrCat(
        "'", argument, "': no tensor: the name of a file is empty"));
  }
  if (file.shape.empty()) {
    auto loaded = ReadTensorFile(file.path, expected, part);
    const absl::string_view type = UnknownType(argument);
    if (!absl::IsNotFound(loaded.status()) || type.empty()) return loaded;
    return UsageError(
        absl::StrCat(Shortened(argument),
                     ": neither a file nor a tensor: no element type \"", type,
                     "\"; there are ", ElementTypeNames()));
  }
  const auto stated = ParseShapeString(file.shape);
  if (!stated.ok()) {
    return AsUsageError(
        PrefixField(absl::StrCat(file.path, ": "), stated.status()));
  }
  if (expected && stated->ToString() != expected->ToString()) {
    return UsageError(absl::StrCat(file.path, ": said to hold ",
                                   stated->ToString(), "; the program states ",
                                   expected->ToString()));
  }
  return ReadTensorFile(file.path, expected ? expected : *stated, part);
}

std::string PathOfArgument(const std::string& argument) {
  return LooksLikeLiteral(argument) ? "" : SplitShape(argument).path;
}

}  // namespace stridecast
