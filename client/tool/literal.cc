// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/literal.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/tool/element_parser.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

bool IsSeparator(char c) { return c == ',' || absl::ascii_isspace(c); }
bool IsBracket(char c) { return c == '[' || c == ']'; }

// Numbers and brackets.
std::vector<absl::string_view> SplitTokens(absl::string_view text) {
  std::vector<absl::string_view> tokens;
  for (size_t i = 0; i < text.size();) {
    if (IsSeparator(text[i])) {
      ++i;
      continue;
    }
    const size_t begin = i++;
    if (!IsBracket(text[begin])) {
      while (i < text.size() && !IsSeparator(text[i]) && !IsBracket(text[i])) {
        ++i;
      }
    }
    tokens.push_back(text.substr(begin, i - begin));
  }
  return tokens;
}

// (T2)
absl::Status CheckCommas(absl::string_view text) {
  char previous = ',';
  for (char c : text) {
    if (absl::ascii_isspace(c)) continue;
    if (c == ',' && (previous == ',' || previous == '[')) {
      return absl::InvalidArgumentError(
          "nothing stands before a comma; elements are parted by one");
    }
    previous = c;
  }
  return absl::OkStatus();
}

// (T2) Whether the brackets among `tokens`, if there are any, nest as `shape`
// does.
absl::Status CheckBrackets(const std::vector<absl::string_view>& tokens,
                           const Shape& shape) {
  if (std::none_of(tokens.begin(), tokens.end(),
                   [](absl::string_view t) { return IsBracket(t[0]); })) {
    return absl::OkStatus();
  }
  const auto error = [&](const auto&... parts) {
    return absl::InvalidArgumentError(absl::StrCat(
        "brackets do not nest as ", shape.ToString(), ": ", parts...));
  };
  // How many children each open bracket has so far.
  std::vector<int64_t> children;
  const auto rank = static_cast<size_t>(shape.rank());
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool is_close = tokens[i] == "]";
    if (is_close) {
      if (children.empty()) return error("a \"]\" closes nothing");
      const auto dim = static_cast<int>(children.size()) - 1;
      if (children.back() != shape.extent(dim)) {
        return error("dimension ", dim, " has extent ", shape.extent(dim),
                     ", a bracket ", children.back());
      }
      children.pop_back();
      continue;
    }
    const bool is_open = tokens[i] == "[";
    if (is_open ? children.size() == rank : children.size() != rank) {
      return error("\"", tokens[i], "\" lies in ", children.size(), " of ",
                   rank, " brackets");
    }
    if (children.empty() && i > 0) return error("text after the last \"]\"");
    if (!children.empty()) ++children.back();
    if (is_open) children.push_back(0);
  }
  if (!children.empty()) return error("a \"]\" is missing");
  return absl::OkStatus();
}

// (T1) The bytes of `elements`, given in row-major order.
std::string Arrange(const std::string& elements, const TensorDesc& desc) {
  if (desc.layout().IsContiguous()) return elements;
  std::string bytes(static_cast<size_t>(desc.size_bytes()), '\0');
  const auto size = static_cast<size_t>(desc.element_bytes());
  const Shape& shape = desc.shape();
  DimVector index(static_cast<size_t>(shape.rank()), 0);
  for (size_t i = 0; i < elements.size() / size; ++i) {
    const auto slot = static_cast<size_t>(desc.layout().SlotOf(index));
    std::memcpy(bytes.data() + slot * size, elements.data() + i * size, size);
    for (int d = shape.rank() - 1; d >= 0; --d) {
      if (++index[static_cast<size_t>(d)] < shape.extent(d)) break;
      index[static_cast<size_t>(d)] = 0;
    }
  }
  return bytes;
}

absl::StatusOr<Literal> ParseElements(absl::string_view text,
                                      const TensorDesc& desc) {
  RETURN_IF_ERROR(CheckCommas(text));
  std::vector<absl::string_view> tokens = SplitTokens(text);
  RETURN_IF_ERROR(CheckBrackets(tokens, desc.shape()));
  std::erase_if(tokens, [](absl::string_view t) { return IsBracket(t[0]); });
  if (static_cast<int64_t>(tokens.size()) != desc.num_elements()) {
    return absl::InvalidArgumentError(absl::StrCat(tokens.size(), " elements; ",
                                                   desc.ToString(), " has ",
                                                   desc.num_elements()));
  }
  if (!desc.layout().IsUnique()) {
    return absl::InvalidArgumentError(
        absl::StrCat(desc.ToString(),
                     " has strides that put several elements in one place; "
                     "give its bytes in a file"));
  }
  const auto size = static_cast<size_t>(desc.element_bytes());
  std::string elements(tokens.size() * size, '\0');
  for (size_t i = 0; i < tokens.size(); ++i) {
    RETURN_IF_ERROR(PrefixField(absl::StrCat("element ", i, ": "),
                                ParseElement(desc.type(), tokens[i],
                                             reinterpret_cast<std::byte*>(
                                                 elements.data() + i * size))));
  }
  return Literal{desc, Arrange(elements, desc)};
}

// Where the shape ends that `text` begins with; its size if there is no "]".
size_t EndOfShape(absl::string_view text) {
  const auto end_of = [text](char close, size_t from) {
    return std::min(text.find(close, from), text.size() - 1) + 1;
  };
  const size_t extents = end_of(']', 0);
  const size_t next = text.find_first_not_of(" \t\n", extents);
  const bool has_layout = next != absl::string_view::npos && text[next] == '{';
  return has_layout ? end_of('}', next) : extents;
}

bool IsF32(absl::string_view token) {
  float value;
  return ParseElement(DType::kF32, token, reinterpret_cast<std::byte*>(&value))
      .ok();
}

}  // namespace

bool BeginsWithShape(absl::string_view text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  size_t end = 0;
  while (end < text.size() && absl::ascii_isalnum(text[end])) ++end;
  if (!ParseDType(text.substr(0, end))) return false;
  const size_t next = text.find_first_not_of(" \t\n", end);
  return next != absl::string_view::npos && text[next] == '[';
}

bool LooksLikeLiteral(absl::string_view text) {
  if (BeginsWithShape(text)) return true;
  const auto tokens = SplitTokens(text);
  return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), IsF32);
}

bool IsBareShape(absl::string_view text) {
  return BeginsWithShape(text) &&
         absl::StripAsciiWhitespace(text.substr(EndOfShape(text))).empty();
}

absl::StatusOr<Literal> ParseLiteral(
    absl::string_view text, const std::optional<TensorDesc>& expected) {
  ASSIGN_OR_RETURN(const TensorDesc desc, DescOfLiteral(text, expected));
  if (BeginsWithShape(text)) text.remove_prefix(EndOfShape(text));
  return ParseElements(text, desc);
}

absl::StatusOr<TensorDesc> DescOfLiteral(
    absl::string_view text, const std::optional<TensorDesc>& expected) {
  if (!BeginsWithShape(text)) {
    if (expected) return *expected;
    const size_t num_elements = SplitTokens(text).size();
    const bool is_scalar =
        num_elements == 1 && text.find(',') == absl::string_view::npos;
    DimVector extents;
    if (!is_scalar) extents.push_back(static_cast<int64_t>(num_elements));
    return TensorDesc::Create(DType::kF32, extents);
  }
  ASSIGN_OR_RETURN(const TensorDesc desc,
                   ParseShapeString(text.substr(0, EndOfShape(text))));
  if (!expected) return desc;
  if (desc.type() != expected->type() || desc.shape() != expected->shape()) {
    return absl::InvalidArgumentError(
        absl::StrCat("is ", ShapeToString(desc.type(), desc.shape()),
                     "; wanted is ", expected->ToString()));
  }
  return *expected;
}

}  // namespace stridecast
