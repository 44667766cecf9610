// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Which tensors a picture file can hold: u8 or u16 that lie in memory as
// [height, width] or [height, width, channels], after any leading extents of 1,
// with as many channels as the format has. What the logical dimensions are
// called does not matter: NCHW whose channel varies fastest in memory is a
// picture, NHWC whose planes lie one behind the other is none.

#ifndef STRIDECAST_CLIENT_TOOL_PICTURE_H_
#define STRIDECAST_CLIENT_TOOL_PICTURE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stridecast/tensor.h"

namespace stridecast {

struct PictureSize {
  int64_t height;
  int64_t width;
  int64_t channels;
};

// `allowed` holds the numbers of channels that the format has.
// Errors: kInvalidArgument for a tensor that is no picture of that format.
absl::StatusOr<PictureSize> PictureSizeOf(const TensorDesc& desc,
                                          absl::Span<const int64_t> allowed);

// InvalidArgument "picture: what".
absl::Status PictureError(absl::string_view what);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_PICTURE_H_
