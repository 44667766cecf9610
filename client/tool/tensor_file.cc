// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/tensor_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/tool/npy.h"
#include "client/tool/pnm.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePointer = std::unique_ptr<std::FILE, CloseFile>;

bool EndsWithAny(absl::string_view path,
                 std::initializer_list<absl::string_view> endings) {
  for (absl::string_view ending : endings) {
    if (absl::EndsWithIgnoreCase(path, ending)) return true;
  }
  return false;
}

// Finds the tensor in loaded->file.
absl::Status Locate(const std::optional<TensorDesc>& expected,
                    LoadedTensor* loaded) {
  NpyHeader found;
  if (LooksLikeNpy(loaded->file)) {
    ASSIGN_OR_RETURN(found, ParseNpyHeader(loaded->file, &loaded->data_offset));
    ASSIGN_OR_RETURN(loaded->desc, DescOfNpy(found));
  } else if (LooksLikePnm(loaded->file)) {
    ASSIGN_OR_RETURN(loaded->desc,
                     DecodePnm(&loaded->file, &loaded->data_offset));
    found = NpyHeaderOf(loaded->desc);
  } else if (expected) {
    loaded->desc = *expected;
    found = NpyHeaderOf(*expected);
  } else {
    return absl::InvalidArgumentError(
        "neither .npy nor a P5 or P6 picture; for raw bytes say the shape");
  }
  const size_t size_bytes = loaded->file.size() - loaded->data_offset;
  if (static_cast<int64_t>(size_bytes) != loaded->desc.size_bytes()) {
    return absl::InvalidArgumentError(absl::StrCat(
        size_bytes, " bytes of elements; ", loaded->desc.ToString(), " takes ",
        loaded->desc.size_bytes()));
  }
  if (!expected) return absl::OkStatus();
  if (found != NpyHeaderOf(*expected)) {
    const NpyHeader wanted = NpyHeaderOf(*expected);
    return absl::InvalidArgumentError(absl::StrCat(
        "holds ", loaded->desc.ToString(), "; ", expected->ToString(),
        " is stored as ", DTypeName(wanted.type), ListToString(wanted.extents),
        wanted.fortran_order ? " in Fortran order" : " in C order"));
  }
  loaded->desc = *expected;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  FilePointer opened;
  std::FILE* file = stdin;
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "rb"));
    if (opened == nullptr) return absl::ErrnoToStatus(errno, path);
    file = opened.get();
  }
  std::string bytes;
  char block[1 << 16];
  while (const size_t count = std::fread(block, 1, sizeof(block), file)) {
    bytes.append(block, count);
  }
  if (std::ferror(file) != 0) return absl::ErrnoToStatus(errno, path);
  return bytes;
}

absl::Status WriteFile(const std::string& path, absl::string_view head,
                       absl::string_view tail) {
  FilePointer file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return absl::ErrnoToStatus(errno, path);
  for (absl::string_view part : {head, tail}) {
    if (part.empty()) continue;  // its data may be null
    if (std::fwrite(part.data(), 1, part.size(), file.get()) != part.size()) {
      return absl::ErrnoToStatus(errno, path);
    }
  }
  // What was buffered is written now, and may fail only now.
  if (std::fclose(file.release()) != 0) {
    return absl::ErrnoToStatus(errno, path);
  }
  return absl::OkStatus();
}

absl::StatusOr<LoadedTensor> ReadTensorFile(
    const std::string& path, const std::optional<TensorDesc>& expected) {
  LoadedTensor loaded;
  loaded.path = path;
  ASSIGN_OR_RETURN(loaded.file, ReadFile(path));
  RETURN_IF_ERROR(
      PrefixField(absl::StrCat(path, ": "), Locate(expected, &loaded)));
  return loaded;
}

absl::Status WriteTensorFile(const std::string& path,
                             const TensorView& tensor) {
  const auto size_bytes = static_cast<size_t>(tensor.desc.size_bytes());
  const absl::string_view bytes(reinterpret_cast<const char*>(tensor.data),
                                size_bytes);
  if (EndsWithAny(path, {".npy"})) {
    return WriteFile(path, FormatNpyHeader(NpyHeaderOf(tensor.desc)), bytes);
  }
  if (EndsWithAny(path, {".ppm", ".pgm", ".pnm"})) {
    const auto file = EncodePnm(tensor);
    if (!file.ok()) {
      return PrefixField(absl::StrCat(path, ": "), file.status());
    }
    return WriteFile(path, *file);
  }
  if (EndsWithAny(path, {".raw", ".bin"})) return WriteFile(path, bytes);
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": the name ends in none of .npy .ppm .pgm .pnm .raw .bin"));
}

}  // namespace stridecast
