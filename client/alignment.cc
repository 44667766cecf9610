// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/alignment.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// "[2,3] (HW)".
std::string Human(const NamedShape& shape) {
  return absl::StrCat(ListToString(shape.extents),
                      shape.letters.empty() ? "" : " (", shape.letters,
                      shape.letters.empty() ? "" : ")");
}

std::string Human(absl::Span<const NamedShape> shapes) {
  return absl::StrJoin(shapes, " and ",
                       [](std::string* text, const NamedShape& shape) {
                         absl::StrAppend(text, Human(shape));
                       });
}

absl::StatusOr<DimVector> DimensionsOf(const NamedShape& operand,
                                       const NamedShape& largest) {
  DimVector dimensions(operand.extents.size());
  const bool by_letter = !operand.letters.empty() && !largest.letters.empty();
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const size_t found =
        by_letter ? largest.letters.find(operand.letters[d])
                  : largest.extents.size() - operand.extents.size() + d;
    if (found == std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("dimension ", operand.letters.substr(d, 1), " of ",
                       Human(operand), " is none of ", Human(largest)));
    }
    dimensions[d] = static_cast<int64_t>(found);
  }
  return dimensions;
}

}  // namespace

absl::StatusOr<Alignment> Align(absl::Span<const NamedShape> operands) {
  const NamedShape& largest = *std::max_element(
      operands.begin(), operands.end(), [](const auto& a, const auto& b) {
        return a.extents.size() < b.extents.size();
      });
  Alignment alignment{largest, {}};
  DimVector& extents = alignment.result.extents;
  for (const NamedShape& operand : operands) {
    ASSIGN_OR_RETURN(const DimVector dimensions,
                     DimensionsOf(operand, largest));
    for (size_t d = 0; d < dimensions.size(); ++d) {
      int64_t& extent = extents[dimensions[d]];
      if (operand.extents[d] == extent || operand.extents[d] == 1) continue;
      if (extent != 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("shapes ", Human(operands), " do not fit: dimension ",
                         dimensions[d], " has extents ", extent, " and ",
                         operand.extents[d]));
      }
      extent = operand.extents[d];
    }
    // Names of an operand of full rank hold for a result that has none yet.
    const bool has_full_rank = dimensions.size() == extents.size();
    if (alignment.result.letters.empty() && has_full_rank) {
      alignment.result.letters = operand.letters;
    }
    alignment.dimensions.push_back(dimensions);
  }
  return alignment;
}

}  // namespace stridecast
