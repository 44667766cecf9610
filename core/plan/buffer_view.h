// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CORE_PLAN_BUFFER_VIEW_H_
#define STRIDECAST_CORE_PLAN_BUFFER_VIEW_H_

#include <cstdint>

#include "core/program/view.h"
#include "stridecast/request.h"
#include "stridecast/shape.h"
#include "stridecast/tensor.h"

namespace stridecast {

// The strided view that a leaf or a store has of a buffer.
struct BufferView {
  int64_t element_bytes;
  int64_t base_bytes;
  DimVector byte_strides;  // by space dimension
};

BufferView ViewBuffer(const TensorDesc& desc, const View& view);

// Of an iota: the indices as addresses, one "byte" apart.
BufferView ViewIota(const IotaAttribute& iota, const View& view);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_BUFFER_VIEW_H_
