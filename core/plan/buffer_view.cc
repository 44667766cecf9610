// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/buffer_view.h"

namespace stridecast {

BufferView ViewIota(const IotaAttribute& iota, const View& view) {
  BufferView buffer{1, view.start[iota.dimension], {}};
  for (const View::Axis& axis : view.axes) {
    buffer.byte_strides.push_back(axis.dim == iota.dimension ? axis.step : 0);
  }
  return buffer;
}

BufferView ViewBuffer(const TensorDesc& desc, const View& view) {
  const DimVector strides = desc.byte_strides();
  BufferView buffer{desc.element_bytes(), desc.byte_offset(), {}};
  for (size_t d = 0; d < view.start.size(); ++d) {
    buffer.base_bytes += view.start[d] * strides[d];
  }
  for (const View::Axis& axis : view.axes) {
    buffer.byte_strides.push_back(axis.dim < 0 ? 0
                                               : axis.step * strides[axis.dim]);
  }
  return buffer;
}

}  // namespace stridecast
