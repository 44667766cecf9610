// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/tensor_file.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/tool/npy.h"
#include "client/tool/png.h"
#include "client/tool/pnm.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Files that people try, and what to do with them.
struct ForeignFormat {
  absl::string_view begin;
  absl::string_view advice;
};

constexpr ForeignFormat kForeignFormats[] = {
    {absl::string_view("PK\x03\x04", 4),
     "a .npz or zip archive; unpack it (unzip) and name a .npy file of it"},
    {"\xFF\xD8\xFF", "a JPEG picture, which is not read; turn it into PNG"},
    {"GIF8", "a GIF picture, which is not read; turn it into PNG"},
    {"RIFF", "a RIFF file (WebP?), which is not read; turn it into PNG"},
    {"\x1F\x8B", "compressed; pipe it in: gzip -dc FILE | stridecast ... -"}};

absl::Status UnknownFormat(absl::string_view file) {
  for (const ForeignFormat& format : kForeignFormats) {
    if (absl::StartsWith(file, format.begin)) {
      return absl::InvalidArgumentError(format.advice);
    }
  }
  return absl::InvalidArgumentError(
      "neither .npy nor PNG nor a P5 or P6 picture; for raw bytes say the "
      "shape: FILE:f32[2,3]");
}

absl::Status SwapElements(DType type, LoadedTensor* loaded) {
  ASSIGN_OR_RETURN(char* const bytes, loaded->file.MutableBytes());
  SwapByteOrder(type, bytes + loaded->data_offset,
                loaded->file.bytes().size() - loaded->data_offset);
  return absl::OkStatus();
}

// Of a PNG, whose samples stand nowhere in the file.
absl::Status Decode(TensorPart part, LoadedTensor* loaded) {
  if (part == TensorPart::kDescription) {
    ASSIGN_OR_RETURN(loaded->desc, DescOfPng(loaded->file.bytes()));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(DecodedPng decoded, DecodePng(loaded->file.bytes()));
  loaded->desc = std::move(decoded.desc);
  loaded->file = InputFile(std::move(decoded.samples));
  return absl::OkStatus();
}

absl::Status CheckSize(const LoadedTensor& loaded) {
  const size_t size_bytes = loaded.file.bytes().size() - loaded.data_offset;
  if (static_cast<int64_t>(size_bytes) == loaded.desc.size_bytes()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(size_bytes, " bytes of elements; ", loaded.desc.ToString(),
                   " takes ", loaded.desc.size_bytes()));
}

// Whether the file holds nothing but `expected`, whatever it begins with: its
// size says so, and its name nothing else.
bool IsRaw(const LoadedTensor& loaded, const TensorDesc& expected) {
  const auto named = FormatOfName(loaded.path);
  return static_cast<int64_t>(loaded.file.bytes().size()) ==
             expected.size_bytes() &&
         (loaded.path == "-" || !named.ok() || *named == FileFormat::kRaw);
}

// Finds the tensor in loaded->file, decoded where it is not there as it is.
// Sets *stored to the shape and order that the file states.
absl::Status Locate(const std::optional<TensorDesc>& expected, TensorPart part,
                    LoadedTensor* loaded, NpyHeader* stored) {
  const absl::string_view file = loaded->file.bytes();
  bool is_big_endian = false;
  if (expected && IsRaw(*loaded, *expected)) {
    loaded->desc = *expected;
    *stored = NpyHeaderOf(loaded->desc);
    return absl::OkStatus();
  }
  if (LooksLikePng(file)) {
    loaded->dimension_names = "HWC";
    RETURN_IF_ERROR(Decode(part, loaded));
    *stored = NpyHeaderOf(loaded->desc);
    return absl::OkStatus();
  }
  if (LooksLikeNpy(file)) {
    ASSIGN_OR_RETURN(*stored, ParseNpyHeader(file, &loaded->data_offset));
    ASSIGN_OR_RETURN(loaded->desc, DescOfNpy(*stored));
    is_big_endian = std::exchange(stored->big_endian, false);
  } else {
    if (LooksLikePnm(file)) {
      ASSIGN_OR_RETURN(loaded->desc, DescOfPnm(file, &loaded->data_offset));
      loaded->dimension_names = "HWC";
      is_big_endian = loaded->desc.type() == DType::kU16;
    } else if (expected) {
      loaded->desc = *expected;
    } else {
      return UnknownFormat(file);
    }
    *stored = NpyHeaderOf(loaded->desc);
  }
  RETURN_IF_ERROR(CheckSize(*loaded));
  if (!is_big_endian || part == TensorPart::kDescription) {
    return absl::OkStatus();
  }
  return SwapElements(loaded->desc.type(), loaded);
}

absl::Status Interpret(const std::optional<TensorDesc>& expected,
                       TensorPart part, LoadedTensor* loaded) {
  NpyHeader stored;
  RETURN_IF_ERROR(Locate(expected, part, loaded, &stored));
  if (!expected) return absl::OkStatus();
  const NpyHeader wanted = NpyHeaderOf(*expected);
  // A tensor of one row can have two names: the shape of its memory in C order,
  // and its own in Fortran order.
  const bool has_shape_of_memory = stored.type == wanted.type &&
                                   !stored.fortran_order &&
                                   stored.extents == PhysicalExtents(*expected);
  if (stored != wanted && !has_shape_of_memory) {
    return absl::InvalidArgumentError(absl::StrCat(
        "holds ", loaded->desc.ToString(), "; ", expected->ToString(),
        " is stored as ", DTypeName(wanted.type), ListToString(wanted.extents),
        wanted.fortran_order ? " in Fortran order" : " in C order"));
  }
  loaded->desc = *expected;
  // In another order its dimensions are others than those of the file.
  if (!expected->layout().IsContiguous()) loaded->dimension_names.clear();
  return absl::OkStatus();
}

}  // namespace

std::optional<FileFormat> ParseFileFormat(absl::string_view name) {
  constexpr std::pair<absl::string_view, FileFormat> kNames[] = {
      {"npy", FileFormat::kNpy}, {"png", FileFormat::kPng},
      {"pnm", FileFormat::kPnm}, {"ppm", FileFormat::kPnm},
      {"pgm", FileFormat::kPnm}, {"raw", FileFormat::kRaw},
      {"bin", FileFormat::kRaw}};
  for (const auto& [known, format] : kNames) {
    if (absl::EqualsIgnoreCase(name, known)) return format;
  }
  return std::nullopt;
}

absl::StatusOr<FileFormat> FormatOfName(const std::string& path) {
  if (path == "-") return FileFormat::kNpy;
  const size_t dot = path.rfind('.');
  if (dot != std::string::npos) {
    const auto format = ParseFileFormat(path.substr(dot + 1));
    if (format) return *format;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path,
      ": the name ends in none of .npy .png .ppm .pgm .pnm .raw .bin; say the "
      "format with --format"));
}

absl::StatusOr<LoadedTensor> ReadTensorFile(
    const std::string& path, const std::optional<TensorDesc>& expected,
    TensorPart part) {
  LoadedTensor loaded;
  loaded.path = path;
  ASSIGN_OR_RETURN(loaded.file, InputFile::Open(path));
  RETURN_IF_ERROR(PrefixField(absl::StrCat(path, ": "),
                              Interpret(expected, part, &loaded)));
  return loaded;
}

std::optional<std::string> HeadOfFile(FileFormat format,
                                      const TensorDesc& desc) {
  switch (format) {
    case FileFormat::kNpy:
      return FormatNpyHeader(NpyHeaderOf(desc));
    case FileFormat::kRaw:
      return "";
    default:
      return std::nullopt;
  }
}

absl::Status WriteTensor(OutputFile& file, const std::string& path,
                         const TensorView& tensor, FileFormat format) {
  if (const auto head = HeadOfFile(format, tensor.desc)) {
    RETURN_IF_ERROR(file.Write(*head));
    return file.Write({reinterpret_cast<const char*>(tensor.data),
                       static_cast<size_t>(tensor.desc.size_bytes())});
  }
  const auto picture =
      format == FileFormat::kPng ? EncodePng(tensor) : EncodePnm(tensor);
  if (!picture.ok()) {
    return PrefixField(absl::StrCat(path, ": "), picture.status());
  }
  if (absl::EndsWithIgnoreCase(path, ".pgm") &&
      absl::StartsWith(*picture, "P6")) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": a .pgm picture is grey; name one in colour .ppm"));
  }
  return file.Write(*picture);
}

absl::Status WriteTensorFile(const std::string& path, const TensorView& tensor,
                             std::optional<FileFormat> format) {
  if (!format) {
    ASSIGN_OR_RETURN(format, FormatOfName(path));
  }
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  RETURN_IF_ERROR(WriteTensor(file, path, tensor, *format));
  return file.Commit();
}

}  // namespace stridecast
