// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// PNG through libpng. A picture is a tensor [height, width, channels] of u8, or
// of u16 if its samples have 16 bits: grey 1, grey and alpha 2, colour 3,
// colour and alpha 4 channels. Palettes become colours, samples of 1, 2 and 4
// bits are scaled to 0 ... 255, a transparent colour becomes an alpha channel;
// other samples are taken as they are: no gamma, no premultiplication.
// Rule: a file may be anything. One that states more samples than its bytes can
// hold (deflate expands at most 1032 times), or more than kMaxPngBytes, is
// refused before memory for them is taken.

#ifndef STRIDECAST_CLIENT_TOOL_PNG_H_
#define STRIDECAST_CLIENT_TOOL_PNG_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stridecast/tensor.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

// 1 GiB of samples: a quarter of what a message can carry, and as much as the
// server's default limit for results.
inline constexpr int64_t kMaxPngBytes = int64_t{1} << 30;

struct DecodedPng {
  TensorDesc desc;
  std::string samples;
};

// True if a file that begins with these bytes claims to be PNG.
bool LooksLikePng(absl::string_view file);

// Errors: kInvalidArgument, for whatever makes the file unreadable.
absl::StatusOr<DecodedPng> DecodePng(absl::string_view file);

// The same without its samples.
absl::StatusOr<TensorDesc> DescOfPng(absl::string_view file);

// The file of a picture of 1 to 4 channels (picture.h).
// Errors: kInvalidArgument for any other tensor.
absl::StatusOr<std::string> EncodePng(const TensorView& picture);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_PNG_H_
