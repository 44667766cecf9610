// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Estimates of time on one core. They decide where work is cut and what is
// refused, never what is computed; within a factor of a few of ordinary numbers
// is enough. Others may take far longer: subnormal results 50 times, remainders
// of exponents far apart 200 times, sines of huge angles 40 times. So a Run is
// cancelled between tiles, whatever was estimated.

#ifndef STRIDECAST_CORE_PLAN_COST_H_
#define STRIDECAST_CORE_PLAN_COST_H_

#include <cstdint>

#include "stridecast/dtype.h"
#include "stridecast/operation.h"

namespace stridecast {

// Nanoseconds per byte that a leaf reads or a store writes, in memory order.
inline constexpr double kMemoryNsPerByte = 0.08;

// Nanoseconds per element of an operation on operands of that type.
double OperationCostNs(Opcode opcode, DType type);

// Bytes of a tile of a relayout of so many: about 0.3 ms of work, less if all
// threads would not be busy.
int64_t RelayoutTileBytes(int64_t all_bytes);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_COST_H_
