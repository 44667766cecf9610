// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/expression/place.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace stridecast {
namespace {

// What fits beside the indentation on a line of 80.
constexpr size_t kMaxColumns = 72;
// Of a window, before the place.
constexpr size_t kColumnsBefore = 32;
constexpr char kCut[] = "...";

// Bytes of the UTF-8 sequence that `text` begins with; 0 if it is none.
size_t SequenceBytes(absl::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80   ? 1
                        : lead < 0xC2 ? 0
                        : lead < 0xE0 ? 2
                        : lead < 0xF0 ? 3
                        : lead < 0xF5 ? 4
                                      : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

// One column of the shown line and where it begins in the text.
struct Column {
  absl::string_view shown;
  size_t begin;
};

std::vector<Column> ColumnsOf(absl::string_view text, size_t begin,
                              size_t end) {
  std::vector<Column> columns;
  for (size_t i = begin; i < end;) {
    const size_t length = SequenceBytes(text.substr(i, end - i));
    const bool is_control = length == 1 && absl::ascii_iscntrl(text[i]);
    columns.push_back({text[i] == '\t'             ? " "
                       : length == 0 || is_control ? "?"
                                                   : text.substr(i, length),
                       i});
    i += std::max<size_t>(length, 1);
  }
  return columns;
}

}  // namespace

absl::Status ErrorAt(absl::string_view text, Place place,
                     absl::string_view message) {
  const size_t before = text.substr(0, place.begin).rfind('\n');
  const size_t line_begin = before == absl::string_view::npos ? 0 : before + 1;
  const size_t line_end = std::min(text.find('\n', line_begin), text.size());
  const std::vector<Column> columns = ColumnsOf(text, line_begin, line_end);

  const auto column_of = [&columns](size_t offset) {
    return static_cast<size_t>(
        std::partition_point(
            columns.begin(), columns.end(),
            [offset](const Column& column) { return column.begin < offset; }) -
        columns.begin());
  };
  const size_t first = column_of(place.begin);
  size_t window_begin = 0;
  if (columns.size() > kMaxColumns && first > kColumnsBefore) {
    window_begin =
        std::min(first - kColumnsBefore, columns.size() - kMaxColumns);
  }
  const size_t window_end =
      std::min(window_begin + kMaxColumns, columns.size());
  const size_t last = std::min(column_of(place.end), window_end);

  std::string line, carets;
  if (window_begin > 0) line += kCut;
  carets.resize(line.size() + first - window_begin, ' ');
  for (size_t i = window_begin; i < window_end; ++i) {
    absl::StrAppend(&line, columns[i].shown);
  }
  if (window_end < columns.size()) line += kCut;
  carets.resize(carets.size() + (last > first ? last - first : 1), '^');
  return absl::InvalidArgumentError(
      absl::StrCat("expression: ", message, "\n  ", line, "\n  ", carets));
}

}  // namespace stridecast
