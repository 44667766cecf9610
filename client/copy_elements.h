// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How a result gets into the caller's buffer.

#ifndef STRIDECAST_CLIENT_COPY_ELEMENTS_H_
#define STRIDECAST_CLIENT_COPY_ELEMENTS_H_

#include <cstddef>

#include "stridecast/segments.h"
#include "stridecast/tensor.h"

namespace stridecast {

// Copies `payload`, a tensor of `desc`, to `buffer`, which has that size: the
// whole of a dimension order, padding included; of strides the elements alone,
// so that what lies between them stays as it is.
void CopyElements(const TensorDesc& desc, const SegmentedBytes& payload,
                  std::byte* buffer);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_COPY_ELEMENTS_H_
