// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/picture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/tool/npy.h"

namespace stridecast {

absl::Status PictureError(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("picture: ", what));
}

absl::StatusOr<PictureSize> PictureSizeOf(const TensorDesc& desc,
                                          absl::Span<const int64_t> allowed) {
  DimVector extents = PhysicalExtents(desc).value_or(DimVector());
  if (extents.size() == 2) extents.push_back(1);
  while (extents.size() > 3 && extents[0] == 1) extents.erase(extents.begin());
  const bool is_picture_type =
      desc.type() == DType::kU8 || desc.type() == DType::kU16;
  if (is_picture_type && extents.size() == 3 &&
      std::find(allowed.begin(), allowed.end(), extents[2]) != allowed.end()) {
    return PictureSize{extents[0], extents[1], extents[2]};
  }
  return PictureError(absl::StrCat(
      desc.ToString(),
      " is none: it takes u8 or u16, in memory [height, width, ",
      absl::StrJoin(allowed, " or "), "]",
      is_picture_type ? "" : "; stridecast convert --to u8 makes u8 of it"));
}

}  // namespace stridecast
