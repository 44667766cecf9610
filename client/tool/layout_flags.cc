// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/layout_flags.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "stridecast/layouts.h"
#include "stridecast/status_macros.h"
#include "stridecast/tensor.h"

namespace stridecast {
namespace {

absl::StatusOr<PaddingValue> ParsePaddingValue(absl::string_view text) {
  if (text.empty()) return PaddingValue::kUnspecified;
  if (text == "zero") return PaddingValue::kZero;
  if (text == "one") return PaddingValue::kOne;
  if (text == "lowest") return PaddingValue::kLowest;
  if (text == "highest") return PaddingValue::kHighest;
  return absl::InvalidArgumentError(absl::StrCat(
      "padding value \"", text, "\" is none of zero, one, lowest, highest"));
}

absl::StatusOr<DimVector> ParseLetters(absl::string_view text,
                                       absl::string_view names,
                                       absl::string_view advice) {
  if (names.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "layout ", text, " needs the names of the dimensions; ", advice));
  }
  ASSIGN_OR_RETURN(DimensionOrder order, LayoutNamed(text, names));
  return std::move(order.minor_to_major);
}

// How the form was asked for, before the text of an error.
std::string FlagsOf(const LayoutFlags& flags) {
  if (!flags.strides.empty()) return "--result-strides: ";
  return flags.padded.empty()  ? "--result-layout: "
         : flags.order.empty() ? "--padded: "
                               : "--result-layout, --padded: ";
}

absl::StatusOr<DimVector> ParseListOf(absl::string_view flag,
                                      absl::string_view text) {
  absl::StatusOr<DimVector> list = ParseList(text);
  if (!list.ok()) return PrefixField(flag, list.status());
  return list;
}

absl::StatusOr<PhysicalForm> ParseUnchecked(const LayoutFlags& flags, int rank,
                                            absl::string_view names) {
  if (!flags.strides.empty()) {
    if (!flags.order.empty() || !flags.padded.empty()) {
      return absl::InvalidArgumentError(
          "strides go with neither a layout nor padding");
    }
    ASSIGN_OR_RETURN(DimVector strides,
                     ParseListOf("--result-strides: ", flags.strides));
    return ElementStrides{std::move(strides), flags.offset,
                          flags.total_elements};
  }
  if (flags.offset != 0 || flags.total_elements != 0) {
    return absl::InvalidArgumentError(
        "an offset and a total of elements go with strides");
  }
  if (!flags.padding_value.empty() && flags.padded.empty()) {
    return absl::InvalidArgumentError("a padding value goes with padding");
  }
  if (flags.order.empty() && flags.padded.empty()) return PhysicalForm{};
  DimensionOrder order;
  absl::StatusOr<DimVector> dimensions =
      ParseOrder(flags.order, rank, names, flags.advice);
  if (!dimensions.ok()) {
    return PrefixField("--result-layout: ", dimensions.status());
  }
  order.minor_to_major = *std::move(dimensions);
  ASSIGN_OR_RETURN(order.padded_dimensions,
                   ParseListOf("--padded: ", flags.padded));
  ASSIGN_OR_RETURN(order.padding_value, ParsePaddingValue(flags.padding_value));
  return order;
}

}  // namespace

absl::StatusOr<DimVector> ParseList(absl::string_view text) {
  absl::string_view inner = absl::StripAsciiWhitespace(text);
  if (inner.size() >= 2 && ((inner.front() == '{' && inner.back() == '}') ||
                            (inner.front() == '[' && inner.back() == ']'))) {
    inner = inner.substr(1, inner.size() - 2);
  }
  DimVector numbers;
  if (absl::StripAsciiWhitespace(inner).empty()) return numbers;
  for (absl::string_view part : absl::StrSplit(inner, ',')) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(part, &number)) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", text, "\" is no list of numbers"));
    }
    numbers.push_back(number);
  }
  return numbers;
}

absl::StatusOr<DimVector> ParseOrder(absl::string_view text, int rank,
                                     absl::string_view names,
                                     absl::string_view advice) {
  if (text.empty() || text == "row-major") return RowMajorOrder(rank);
  if (text == "column-major") return ColumnMajorOrder(rank);
  if (std::all_of(text.begin(), text.end(), [](char c) {
        return absl::ascii_isalpha(c) || absl::ascii_isspace(c);
      })) {
    return ParseLetters(text, names, advice);
  }
  absl::StatusOr<DimVector> order = ParseList(text);
  if (!order.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text,
                     "\" is neither row-major nor column-major, nor numbers as "
                     "in {1,0}, nor letters as in NCHW"));
  }
  for (int64_t& dimension : *order) {
    if (dimension < 0) dimension += rank;
  }
  return order;
}

bool AsksForBatch(const LayoutFlags& flags, absl::string_view names) {
  std::string asked;
  for (const char c : flags.order) {
    if (!absl::ascii_isspace(c)) asked.push_back(absl::ascii_toupper(c));
  }
  std::string known = absl::AsciiStrToUpper(names);
  if (known.empty() || known.find('N') != known.npos) return false;
  known.push_back('N');
  std::sort(asked.begin(), asked.end());
  std::sort(known.begin(), known.end());
  return asked == known;
}

absl::StatusOr<PhysicalForm> ParseForm(const LayoutFlags& flags, DType type,
                                       const Shape& shape,
                                       absl::string_view names) {
  ASSIGN_OR_RETURN(PhysicalForm form,
                   ParseUnchecked(flags, shape.rank(), names));
  const auto layout = Layout::Create(type, shape, form);
  if (!layout.ok()) return PrefixField(FlagsOf(flags), layout.status());
  if (!layout->IsUnique()) {
    return absl::InvalidArgumentError(absl::StrCat(
        FlagsOf(flags), flags.strides, " on ", ShapeToString(type, shape),
        ": elements share a place, or cannot be shown not to"));
  }
  return form;
}

}  // namespace stridecast
