// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/npy.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "stridecast/layout.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kAlignment = 64;

struct TypeRow {
  absl::string_view descr;  // without byte order
  DType type;
};

constexpr TypeRow kTypes[] = {
    {"b1", DType::kPred}, {"i1", DType::kS8},    {"i2", DType::kS16},
    {"i4", DType::kS32},  {"i8", DType::kS64},   {"u1", DType::kU8},
    {"u2", DType::kU16},  {"u4", DType::kU32},   {"u8", DType::kU64},
    {"f2", DType::kF16},  {"f4", DType::kF32},   {"f8", DType::kF64},
    {"c8", DType::kC64},  {"c16", DType::kC128}, {"V2", DType::kBF16}};

absl::Status HeaderError(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("npy header: ", what));
}

// Kinds of arrays that are no tensors, by the letter behind the byte order.
struct RefusedKind {
  char letter;
  absl::string_view reason;
};

constexpr RefusedKind kRefusedKinds[] = {
    {'O', "Python objects are no numbers; save a.astype('f8')"},
    {'U', "text is no number"},
    {'S', "text is no number"},
    {'a', "text is no number"},
    {'M', "dates are no numbers; save a.view('i8')"},
    {'m', "time spans are no numbers; save a.view('i8')"},
    {'f', "this float is wider than f64; save a.astype('f8')"},
    {'c', "this complex number is wider than c128; save a.astype('c16')"},
    {'V', "only 2-byte voids have a meaning here: bf16"}};

struct ElementForm {
  DType type;
  bool big_endian;
};

absl::StatusOr<ElementForm> ParseDescr(absl::string_view descr) {
  if (descr == "bfloat16") return ElementForm{DType::kBF16, false};
  const char order = descr.empty() ? '\0' : descr[0];
  for (const TypeRow& row : kTypes) {
    if (descr.size() != row.descr.size() + 1 || descr.substr(1) != row.descr) {
      continue;
    }
    // '=' is the writer's own order: nothing is written by a big-endian one.
    if (order == '<' || order == '|' || order == '=') {
      return ElementForm{row.type, false};
    }
    if (order == '>') return ElementForm{row.type, ElementBytes(row.type) > 1};
  }
  const std::string what =
      absl::StrCat("no element type for descr '", descr, "'");
  for (const RefusedKind& kind : kRefusedKinds) {
    if (descr.size() > 1 && descr[1] == kind.letter) {
      return HeaderError(absl::StrCat(what, ": ", kind.reason));
    }
  }
  return HeaderError(what);
}

// Reads the few kinds of Python literals that headers hold.
class LiteralScanner {
 public:
  explicit LiteralScanner(absl::string_view text) : rest_(text) {}

  bool Consume(absl::string_view token) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    if (!absl::StartsWith(rest_, token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::optional<absl::string_view> ConsumeString() {
    for (absl::string_view quote : {"'", "\""}) {
      if (!Consume(quote)) continue;
      const size_t end = rest_.find(quote);
      if (end == absl::string_view::npos) return std::nullopt;
      const absl::string_view text = rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      return text;
    }
    return std::nullopt;
  }

  // "()", "(3,)", "(3, 4)"; Python 2 wrote "(3L, 4L)".
  std::optional<DimVector> ConsumeTuple() {
    DimVector numbers;
    if (!Consume("(")) return std::nullopt;
    while (!Consume(")")) {
      rest_ = absl::StripLeadingAsciiWhitespace(rest_);
      size_t digits = 0;
      while (digits < rest_.size() && absl::ascii_isdigit(rest_[digits])) {
        ++digits;
      }
      int64_t number = 0;
      if (!absl::SimpleAtoi(rest_.substr(0, digits), &number)) {
        return std::nullopt;
      }
      rest_.remove_prefix(digits);
      numbers.push_back(number);
      Consume("L");
      if (Consume(",")) continue;
      if (!Consume(")")) return std::nullopt;
      break;
    }
    return numbers;
  }

  bool AtEnd() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return rest_.empty();
  }

 private:
  absl::string_view rest_;
};

absl::StatusOr<NpyHeader> ParseDictionary(absl::string_view text) {
  LiteralScanner scanner(text);
  std::optional<absl::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<DimVector> extents;
  if (!scanner.Consume("{")) return HeaderError("no dictionary");
  while (!scanner.Consume("}")) {
    const auto key = scanner.ConsumeString();
    if (!key || !scanner.Consume(":")) return HeaderError("no key");
    if (*key == "descr") {
      descr = scanner.ConsumeString();
      if (!descr) {
        return HeaderError(
            "descr is no string: structured arrays are no tensors; save one "
            "field, a['name']");
      }
    } else if (*key == "fortran_order") {
      const bool is_true = scanner.Consume("True");
      if (!is_true && !scanner.Consume("False")) {
        return HeaderError("fortran_order is neither True nor False");
      }
      fortran_order = is_true;
    } else if (*key == "shape") {
      extents = scanner.ConsumeTuple();
      if (!extents) return HeaderError("shape is no tuple of numbers");
    } else {
      return HeaderError(absl::StrCat("unknown key '", *key, "'"));
    }
    if (scanner.Consume(",")) continue;
    if (!scanner.Consume("}")) return HeaderError("no end of the dictionary");
    break;
  }
  if (!scanner.AtEnd()) return HeaderError("text after the dictionary");
  if (!descr || !fortran_order || !extents) {
    return HeaderError("descr, fortran_order or shape is missing");
  }
  ASSIGN_OR_RETURN(const ElementForm form, ParseDescr(*descr));
  return NpyHeader{form.type, *std::move(extents), *fortran_order,
                   form.big_endian};
}

bool IsColumnMajor(const TensorDesc& desc) {
  if (!desc.layout().IsPacked()) return false;
  int64_t expected = 1;
  for (int d = 0; d < desc.rank(); ++d) {
    const int64_t extent = desc.shape().extent(d);
    if (extent > 1 && desc.layout().strides()[d] != expected) return false;
    expected *= extent;
  }
  return true;
}

}  // namespace

std::optional<DimVector> PhysicalExtents(const TensorDesc& desc) {
  DimVector extents;
  const Layout& layout = desc.layout();
  if (const auto* order = std::get_if<DimensionOrder>(&layout.form())) {
    for (size_t i = order->minor_to_major.size(); i-- > 0;) {
      const auto d = static_cast<size_t>(order->minor_to_major[i]);
      extents.push_back(order->padded_dimensions.empty()
                            ? desc.shape().extents()[d]
                            : order->padded_dimensions[d]);
    }
    return extents;
  }
  const auto strides = layout.strides();
  if (!layout.IsPacked() || std::any_of(strides.begin(), strides.end(),
                                        [](int64_t s) { return s < 0; })) {
    return std::nullopt;
  }
  DimVector dims = ColumnMajorOrder(desc.rank());
  std::stable_sort(dims.begin(), dims.end(), [&](int64_t a, int64_t b) {
    return strides[static_cast<size_t>(a)] > strides[static_cast<size_t>(b)];
  });
  for (int64_t d : dims) {
    extents.push_back(desc.shape().extent(static_cast<int>(d)));
  }
  return extents;
}

bool LooksLikeNpy(absl::string_view file) {
  return absl::StartsWith(file, kMagic);
}

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view file,
                                         size_t* data_offset) {
  if (!LooksLikeNpy(file)) return HeaderError("does not begin with \\x93NUMPY");
  if (file.size() < kMagic.size() + 2) return HeaderError("cut short");
  const int version = static_cast<unsigned char>(file[kMagic.size()]);
  if (version < 1 || version > 3) {
    return HeaderError(absl::StrCat("version ", version, "; known are 1 to 3"));
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t begin = kMagic.size() + 2 + length_bytes;
  if (file.size() < begin) return HeaderError("cut short");
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<size_t>(
                  static_cast<unsigned char>(file[kMagic.size() + 2 + i]))
              << 8 * i;
  }
  if (length > file.size() - begin) {
    return HeaderError(absl::StrCat("states ", length, " bytes; the file has ",
                                    file.size() - begin, " left"));
  }
  *data_offset = begin + length;
  return ParseDictionary(file.substr(begin, length));
}

std::string FormatNpyHeader(const NpyHeader& header) {
  const auto row =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [&](const TypeRow& r) { return r.type == header.type; });
  const char* order = ElementBytes(header.type) == 1 ? "|" : "<";
  std::string text = absl::StrCat(
      "{'descr': '", order, row->descr,
      "', 'fortran_order': ", header.fortran_order ? "True" : "False",
      ", 'shape': (", absl::StrJoin(header.extents, ", "),
      header.extents.size() == 1 ? ",), }" : "), }");
  const size_t prefix = kMagic.size() + 4;
  const size_t unpadded = prefix + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text.push_back('\n');
  std::string file(kMagic);
  // Version 1: rank 16 with 19 digits each is far below its 64 KiB.
  file.append({'\x01', '\x00', static_cast<char>(text.size() & 0xFF),
               static_cast<char>(text.size() >> 8)});
  return file + text;
}

void SwapByteOrder(DType type, char* bytes, size_t size_bytes) {
  const auto number_bytes = static_cast<size_t>(ElementBytes(RealType(type)));
  for (size_t i = 0; i + number_bytes <= size_bytes; i += number_bytes) {
    std::reverse(bytes + i, bytes + i + number_bytes);
  }
}

absl::StatusOr<TensorDesc> DescOfNpy(const NpyHeader& header) {
  PhysicalForm form;
  if (header.fortran_order) {
    form = DimensionOrder{
        ColumnMajorOrder(static_cast<int>(header.extents.size())), {}, {}};
  }
  return TensorDesc::Create(header.type, header.extents, form);
}

NpyHeader NpyHeaderOf(const TensorDesc& desc) {
  const auto extents = desc.shape().extents();
  const DimVector logical(extents.begin(), extents.end());
  if (desc.layout().IsContiguous()) return {desc.type(), logical, false};
  if (IsColumnMajor(desc)) return {desc.type(), logical, true};
  const auto physical = PhysicalExtents(desc);
  return {desc.type(), physical.value_or(DimVector{desc.layout().num_slots()}),
          false};
}

}  // namespace stridecast
