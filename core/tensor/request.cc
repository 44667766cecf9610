// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/request.h"

namespace stridecast {

absl::string_view AttributeName(const Attribute& attribute) {
  // In the order of Attribute's alternatives.
  static constexpr absl::string_view kNames[] = {"",
                                                 "constant",
                                                 "broadcast_in_dim",
                                                 "dimensions",
                                                 "slice",
                                                 "pad",
                                                 "reshape",
                                                 "convert",
                                                 "compare",
                                                 "reduce_precision",
                                                 "scalars",
                                                 "quantize",
                                                 "iota"};
  static_assert(std::size(kNames) == std::variant_size_v<Attribute>);
  return kNames[attribute.index()];
}

}  // namespace stridecast
