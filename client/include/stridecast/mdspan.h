// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Views of mdspans: std::mdspan of C++23, that of Kokkos, or whatever has the
// same interface. No mdspan is included, so any will do, in C++20 as well.
//
//   std::mdspan picture(pixels, rows, columns);
//   client.Relayout(*View(picture), *LayoutNamed("WH"));
//
// The rules of stridecast/strided_view.h hold; the mdspan's own strides decide.

#ifndef STRIDECAST_MDSPAN_H_
#define STRIDECAST_MDSPAN_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stridecast/element.h"
#include "stridecast/return_if_error.h"
#include "stridecast/shape.h"
#include "stridecast/strided_view.h"

namespace stridecast {
namespace internal {

template <typename M>
using MdspanHandle =
    std::remove_cvref_t<decltype(std::declval<const M&>().data_handle())>;

}  // namespace internal

// An mdspan of elements that lie in memory as they are; an accessor that
// computes them (std::linalg::scaled) has another reference type.
template <typename M>
concept Mdspan = requires(const M& m) {
  { M::rank() } -> std::convertible_to<size_t>;
  { m.extent(0) } -> std::convertible_to<int64_t>;
  { m.stride(0) } -> std::convertible_to<int64_t>;
  requires Element<std::remove_cv_t<typename M::element_type>>;
  requires std::same_as<typename M::reference, typename M::element_type&>;
  requires std::same_as<internal::MdspanHandle<M>,
                        std::add_pointer_t<typename M::element_type>>;
};

namespace internal {

// An mdspan as ElementStridedView takes it.
template <Mdspan M>
struct MdspanParts {
  static constexpr DType kType =
      kDTypeOf<std::remove_cv_t<typename M::element_type>>;
  typename M::element_type* origin;
  DimVector extents;
  DimVector strides;
};

// A mapping may put the element of index (0, ..., 0) behind the front.
template <Mdspan M, size_t... kDims>
ptrdiff_t SlotOfOrigin(const M& m, std::index_sequence<kDims...>) {
  return static_cast<ptrdiff_t>(m.mapping()((kDims - kDims)...));
}

template <Mdspan M>
absl::StatusOr<MdspanParts<M>> PartsOf(const M& m) {
  if constexpr (requires { m.is_strided(); }) {
    if (!m.is_strided()) {
      return absl::InvalidArgumentError(
          "an mdspan whose mapping is not strided");
    }
  }
  MdspanParts<M> parts{m.data_handle(), {}, {}};
  bool has_elements = true;
  if constexpr (M::rank() > 0) {  // else stride() need not exist
    for (decltype(M::rank()) d = 0; d < M::rank(); ++d) {
      parts.extents.push_back(static_cast<int64_t>(m.extent(d)));
      parts.strides.push_back(static_cast<int64_t>(m.stride(d)));
      has_elements &= parts.extents.back() != 0;
    }
  }
  if constexpr (requires { m.mapping(); }) {
    if (has_elements) {
      parts.origin += SlotOfOrigin(m, std::make_index_sequence<M::rank()>());
    }
  }
  return parts;
}

}  // namespace internal

template <Mdspan M>
absl::StatusOr<TensorView> View(const M& m) {
  STRIDECAST_ASSIGN_OR_RETURN(const auto parts, internal::PartsOf(m));
  return internal::ElementStridedView(parts.origin, parts.kType, parts.extents,
                                      parts.strides);
}

template <Mdspan M>
requires(!std::is_const_v<typename M::element_type>)
    absl::StatusOr<MutableTensorView> MutableView(const M& m) {
  STRIDECAST_ASSIGN_OR_RETURN(const auto parts, internal::PartsOf(m));
  return internal::MutableElementStridedView(parts.origin, parts.kType,
                                             parts.extents, parts.strides);
}

}  // namespace stridecast

#endif  // STRIDECAST_MDSPAN_H_
