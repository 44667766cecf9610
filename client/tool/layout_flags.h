// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How physical forms are written on the command line.

#ifndef STRIDECAST_CLIENT_TOOL_LAYOUT_FLAGS_H_
#define STRIDECAST_CLIENT_TOOL_LAYOUT_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stridecast/dtype.h"
#include "stridecast/layout.h"
#include "stridecast/shape.h"

namespace stridecast {

// What the flags said; empty: not given.
struct LayoutFlags {
  std::string order;          // see ParseOrder
  std::string padded;         // "2,5", by dimension number
  std::string padding_value;  // zero, one, lowest, highest
  std::string strides;        // "5,1", in elements, by dimension number
  int64_t offset = 0;
  int64_t total_elements = 0;
  // How to name dimensions, for a layout of letters where there are no names.
  std::string advice = "--dims LETTERS gives them";
};

// "2,5" or "[2,5]" or "{2,5}".
// Errors: kInvalidArgument, here and below.
absl::StatusOr<DimVector> ParseList(absl::string_view text);

// minor_to_major of `text`, which is one of
//   row-major, column-major
//   {0,1}   minor_to_major itself; the braces may be missing
//   {-1,0}  -1 is the last dimension
//   N C H W, NCHW
//           dimensions from the slowest to the fastest by their letters, which
//           `names` gives dimension 0 first; if it is empty, `advice` is given
absl::StatusOr<DimVector> ParseOrder(absl::string_view text, int rank,
                                     absl::string_view names,
                                     absl::string_view advice);

// Of a result; monostate if no flag was given. Errors name the flags.
absl::StatusOr<PhysicalForm> ParseForm(const LayoutFlags& flags, DType type,
                                       const Shape& shape,
                                       absl::string_view names);

// Whether the layout asked for is of the dimensions `names` and of N, as NCHW
// of HWC: who has one picture wants a batch of one.
bool AsksForBatch(const LayoutFlags& flags, absl::string_view names);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_LAYOUT_FLAGS_H_
