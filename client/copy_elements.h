// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How a result gets into the caller's buffer.

#ifndef STRIDECAST_CLIENT_COPY_ELEMENTS_H_
#define STRIDECAST_CLIENT_COPY_ELEMENTS_H_

#include <cstddef>
#include <cstdint>

#include "stridecast/segments.h"
#include "stridecast/tensor.h"

namespace stridecast {

// Copies `payload`, the bytes of a tensor of `desc` from byte `begin` on, to
// their places in `buffer`, which has the tensor's size: all of a dimension
// order, padding included; of strides the elements alone, so that what lies
// between them stays as it is.
void CopyElements(const TensorDesc& desc, const SegmentedBytes& payload,
                  int64_t begin, std::byte* buffer);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_COPY_ELEMENTS_H_
