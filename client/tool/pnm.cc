// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/pnm.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/tool/npy.h"
#include "client/tool/picture.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// The next number of the header; comments run from '#' to the end of the line.
absl::StatusOr<int64_t> NextNumber(absl::string_view file, size_t* position,
                                   absl::string_view name) {
  size_t& p = *position;
  while (p < file.size() && (absl::ascii_isspace(file[p]) || file[p] == '#')) {
    if (file[p] == '#') {
      while (p < file.size() && file[p] != '\n') ++p;
    } else {
      ++p;
    }
  }
  const size_t begin = p;
  while (p < file.size() && absl::ascii_isdigit(file[p])) ++p;
  int64_t number = 0;
  if (!absl::SimpleAtoi(file.substr(begin, p - begin), &number)) {
    return PictureError(absl::StrCat("no ", name, " in the header"));
  }
  return number;
}

}  // namespace

bool LooksLikePnm(absl::string_view file) {
  return file.size() >= 3 && file[0] == 'P' && file[1] >= '1' &&
         file[1] <= '7' && (absl::ascii_isspace(file[2]) || file[2] == '#');
}

absl::StatusOr<TensorDesc> DescOfPnm(absl::string_view file,
                                     size_t* data_offset) {
  if (!LooksLikePnm(file) || (file[1] != '5' && file[1] != '6')) {
    return PictureError("neither P5 (binary grey) nor P6 (binary colour)");
  }
  const int64_t channels = file[1] == '6' ? 3 : 1;
  size_t position = 2;
  ASSIGN_OR_RETURN(const int64_t width, NextNumber(file, &position, "width"));
  ASSIGN_OR_RETURN(const int64_t height, NextNumber(file, &position, "height"));
  ASSIGN_OR_RETURN(const int64_t greatest,
                   NextNumber(file, &position, "greatest value"));
  if (greatest < 1 || greatest > 65535) {
    return PictureError(
        absl::StrCat("greatest value ", greatest, " is not in 1 ... 65535"));
  }
  if (position >= file.size() || !absl::ascii_isspace(file[position])) {
    return PictureError("no white space after the greatest value");
  }
  ++position;
  ASSIGN_OR_RETURN(const TensorDesc desc,
                   TensorDesc::Create(greatest > 255 ? DType::kU16 : DType::kU8,
                                      {height, width, channels}));
  const size_t size_bytes = file.size() - position;
  if (static_cast<int64_t>(size_bytes) != desc.size_bytes()) {
    return PictureError(absl::StrCat(size_bytes, " bytes of samples; ", width,
                                     " x ", height, " x ", channels, " takes ",
                                     desc.size_bytes()));
  }
  *data_offset = position;
  return desc;
}

absl::StatusOr<std::string> EncodePnm(const TensorView& picture) {
  const TensorDesc& desc = picture.desc;
  ASSIGN_OR_RETURN(const PictureSize size, PictureSizeOf(desc, {1, 3}));
  if (size.width == 0 || size.height == 0) {
    return PictureError(absl::StrCat(size.width, " x ", size.height,
                                     " pixels: each is at least 1"));
  }
  std::string file = absl::StrCat(
      size.channels == 3 ? "P6" : "P5", "\n", size.width, " ", size.height,
      "\n", desc.type() == DType::kU16 ? "65535" : "255", "\n");
  const size_t begin = file.size();
  const auto size_bytes = static_cast<size_t>(desc.size_bytes());
  file.append(reinterpret_cast<const char*>(picture.data), size_bytes);
  if (desc.type() == DType::kU16) {
    SwapByteOrder(DType::kU16, file.data() + begin, size_bytes);
  }
  return file;
}

}  // namespace stridecast
