// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/shape.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/tensor/checked_math.h"
#include "stridecast/status_macros.h"

namespace stridecast {

std::string ListToString(absl::Span<const int64_t> numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ","), "]");
}

absl::StatusOr<Shape> Shape::Create(absl::Span<const int64_t> extents) {
  if (extents.size() > kMaxRank) {
    return FieldError("dimensions", extents.size(),
                      " dimensions; the limit is rank ", kMaxRank);
  }
  // An extent of 0 must not hide an overflow of the others.
  CheckedInt64 product(1);
  bool empty = false;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] < 0) {
      return FieldError(absl::StrCat("dimensions[", i, "]"),
                        "shape's dimensions must not be < 0; dimension at "
                        "index ",
                        i, " was ", extents[i]);
    }
    empty |= extents[i] == 0;
    if (extents[i] != 0) product.Multiply(extents[i]);
  }
  if (!product.value()) {
    return FieldError("dimensions", "the product of ", ListToString(extents),
                      " overflows int64");
  }
  Shape shape;
  shape.extents_.assign(extents.begin(), extents.end());
  shape.num_elements_ = empty ? 0 : *product.value();
  return shape;
}

int Shape::true_rank() const {
  return static_cast<int>(std::count_if(extents_.begin(), extents_.end(),
                                        [](int64_t e) { return e > 1; }));
}

std::string Shape::ToString() const { return ListToString(extents_); }

}  // namespace stridecast
