// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Pictures of the netpbm family in binary: P5 (grey) and P6 (red, green, blue).
// A picture is a tensor [height, width, channels] of u8, or of u16 if its
// greatest value exceeds 255. Samples are taken as they are, not scaled to the
// greatest value. 16-bit samples are big-endian in the file, little-endian in
// the tensor.

#ifndef STRIDECAST_CLIENT_TOOL_PNM_H_
#define STRIDECAST_CLIENT_TOOL_PNM_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stridecast/tensor.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

// True if a file that begins with these bytes claims to be such a picture.
bool LooksLikePnm(absl::string_view file);

// The descriptor of the picture in `file`. Sets *data_offset to the place of
// the samples; those of u16 are big-endian there.
// Errors: kInvalidArgument, for whatever makes the file unreadable.
absl::StatusOr<TensorDesc> DescOfPnm(absl::string_view file,
                                     size_t* data_offset);

// The file of a picture of 1 or 3 channels (picture.h).
// Errors: kInvalidArgument for any other tensor.
absl::StatusOr<std::string> EncodePnm(const TensorView& picture);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_PNM_H_
