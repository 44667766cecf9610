// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Every function of names comes down to Positions: where the letters of one
// name stand in another.

#include "stridecast/layouts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// The orders in which the dimensions of tensors usually stand.
constexpr absl::string_view kUsualOrders[] = {"NCDHW", "PZYX"};

// The letters of `name` in upper case, without blanks.
absl::StatusOr<std::string> Letters(absl::string_view name) {
  std::string letters;
  for (char c : name) {
    if (absl::ascii_isspace(c)) continue;
    if (!absl::ascii_isalpha(c)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "\"", name, "\" names dimensions by other things than letters"));
    }
    letters.push_back(absl::ascii_toupper(c));
  }
  return letters;
}

// The letters of `order` as tensors usually have them.
absl::StatusOr<std::string> UsualDimensions(absl::string_view order) {
  ASSIGN_OR_RETURN(const std::string letters, Letters(order));
  for (size_t i = 0; i < letters.size(); ++i) {
    if (letters.find(letters[i], i + 1) == std::string::npos) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "layout ", order, " names ", letters.substr(i, 1), " twice"));
  }
  for (absl::string_view usual : kUsualOrders) {
    std::string dimensions;
    for (char letter : usual) {
      if (letters.find(letter) != std::string::npos) {
        dimensions.push_back(letter);
      }
    }
    const bool has_all =
        std::all_of(letters.begin(), letters.end(), [&](char letter) {
          return dimensions.find(letter) != std::string::npos;
        });
    if (has_all) return dimensions;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("layout ", order,
                   " has letters that are not all of N C D H W, nor of "
                   "p z y x: say how the dimensions of the tensor are named"));
}

// Where in `dimensions` each letter of `order` stands. `what` is what the
// caller's text calls `order`.
absl::StatusOr<DimVector> Positions(absl::string_view what,
                                    absl::string_view order,
                                    absl::string_view dimensions) {
  ASSIGN_OR_RETURN(const std::string wanted, Letters(order));
  ASSIGN_OR_RETURN(const std::string known, Letters(dimensions));
  DimVector positions;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const size_t position = known.find(wanted[i]);
    if (position == std::string::npos || wanted.find(wanted[i]) != i) break;
    positions.push_back(static_cast<int64_t>(position));
  }
  // As many distinct letters of `known` as it has are all of them.
  if (positions.size() != wanted.size() || wanted.size() != known.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " ", order, " does not name each dimension of ",
                     dimensions, " once"));
  }
  return positions;
}

// From the slowest dimension to the fastest.
absl::StatusOr<DimVector> MajorToMinor(absl::string_view order,
                                       absl::string_view dimensions) {
  if (!dimensions.empty()) return Positions("layout", order, dimensions);
  ASSIGN_OR_RETURN(const std::string usual, UsualDimensions(order));
  return Positions("layout", order, usual);
}

// In front of `numbers`, `count` times.
DimVector Prefixed(const DimVector& numbers, int count, int64_t number) {
  DimVector prefixed(static_cast<size_t>(count), number);
  prefixed.insert(prefixed.end(), numbers.begin(), numbers.end());
  return prefixed;
}

DimensionOrder PromoteOrder(const DimensionOrder& order, int added) {
  DimensionOrder promoted = order;
  for (int64_t& dim : promoted.minor_to_major) dim += added;
  for (int dim = added; dim-- > 0;) promoted.minor_to_major.push_back(dim);
  if (!order.padded_dimensions.empty()) {
    promoted.padded_dimensions = Prefixed(order.padded_dimensions, added, 1);
  }
  return promoted;
}

}  // namespace

DimensionOrder RowMajor(int rank) {
  return {RowMajorOrder(rank), {}, PaddingValue::kUnspecified};
}

DimensionOrder ColumnMajor(int rank) {
  return {ColumnMajorOrder(rank), {}, PaddingValue::kUnspecified};
}

absl::StatusOr<DimensionOrder> LayoutNamed(absl::string_view order,
                                           absl::string_view dimensions) {
  ASSIGN_OR_RETURN(DimVector dims, MajorToMinor(order, dimensions));
  std::reverse(dims.begin(), dims.end());
  return DimensionOrder{std::move(dims), {}, PaddingValue::kUnspecified};
}

absl::StatusOr<DimensionOrder> PaddedLayoutNamed(
    absl::string_view order, absl::Span<const int64_t> memory_extents,
    PaddingValue value, absl::string_view dimensions) {
  ASSIGN_OR_RETURN(DimVector dims, MajorToMinor(order, dimensions));
  if (memory_extents.size() != dims.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("layout ", order, ": ", memory_extents.size(),
                     " memory extents for ", dims.size(), " dimensions"));
  }
  DimVector padded(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    padded[static_cast<size_t>(dims[i])] = memory_extents[i];
  }
  std::reverse(dims.begin(), dims.end());
  return DimensionOrder{std::move(dims), std::move(padded), value};
}

absl::StatusOr<DimVector> TransposeNamed(absl::string_view from,
                                         absl::string_view to) {
  return Positions("transpose to", to, from);
}

absl::StatusOr<TensorDesc> Promote(const TensorDesc& desc, int rank) {
  if (rank < desc.rank() || rank > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("promotion of ", desc.ToString(), " to rank ", rank,
                     ", which is not in [", desc.rank(), ",", kMaxRank, "]"));
  }
  const int added = rank - desc.rank();
  const auto extents = desc.shape().extents();
  const DimVector promoted =
      Prefixed(DimVector(extents.begin(), extents.end()), added, 1);
  if (const auto* order = std::get_if<DimensionOrder>(&desc.layout().form())) {
    return TensorDesc::Create(desc.type(), promoted,
                              PromoteOrder(*order, added));
  }
  ElementStrides strides = std::get<ElementStrides>(desc.layout().form());
  // Nothing lies that far away. Any stride would do; this one makes the new
  // dimensions the slowest, also for those who sort by strides.
  strides.strides = Prefixed(strides.strides, added,
                             std::max<int64_t>(desc.layout().num_slots(), 1));
  return TensorDesc::Create(desc.type(), promoted, strides);
}

absl::StatusOr<TensorView> Promote(const TensorView& view, int rank) {
  ASSIGN_OR_RETURN(TensorDesc desc, Promote(view.desc, rank));
  return TensorView{std::move(desc), view.data};
}

absl::StatusOr<MutableTensorView> Promote(const MutableTensorView& view,
                                          int rank) {
  ASSIGN_OR_RETURN(TensorDesc desc, Promote(view.desc, rank));
  return MutableTensorView{std::move(desc), view.data};
}

}  // namespace stridecast
