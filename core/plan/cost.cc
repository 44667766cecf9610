// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/cost.h"

namespace stridecast {

double OperationCostNs(Opcode opcode, DType type) {
  // One vector instruction of 32 bytes, load and store in L1 included.
  const double vector_ns = 0.02 * static_cast<double>(ElementBytes(type));
  switch (opcode) {
    case Opcode::kRemainder:
    case Opcode::kFloorMod:
    case Opcode::kFloorDivide:
      return 8.0;  // a scalar loop; fmod of far-apart numbers takes longer
    case Opcode::kPower:
    case Opcode::kGcd:
    case Opcode::kLcm:
      if (IsInteger(type)) return 15.0;  // a step for every bit
      return 15 * vector_ns;
    case Opcode::kDivide:
      return IsFloat(type) ? 4 * vector_ns : 3.0;  // no vector integer division
    case Opcode::kReciprocal:
    case Opcode::kSoftsign:
    case Opcode::kHardSwish:
      return 4 * vector_ns;
    case Opcode::kQuantize:
    case Opcode::kDequantize:
      return 0.5;
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kExp:
    case Opcode::kExp2:
    case Opcode::kLog:
    case Opcode::kLog2:
    case Opcode::kLog10:
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kExpm1:
    case Opcode::kLog1p:
    case Opcode::kElu:
    case Opcode::kSelu:
    case Opcode::kCelu:
    case Opcode::kHypot:
      return (IsComplex(type) ? 30 : 6) * vector_ns;
    case Opcode::kTan:
    case Opcode::kAsin:
    case Opcode::kAcos:
    case Opcode::kAtan:
    case Opcode::kAtan2:
    case Opcode::kSinh:
    case Opcode::kCosh:
    case Opcode::kTanh:
    case Opcode::kAsinh:
    case Opcode::kAcosh:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kLogistic:
    case Opcode::kErf:
    case Opcode::kLogaddexp:
    case Opcode::kSoftplus:
    case Opcode::kSwish:
    case Opcode::kMish:
    case Opcode::kGeluTanh:
      return 12 * vector_ns;
    case Opcode::kErfc:
    case Opcode::kGeluErf:
      return 30 * vector_ns;
    case Opcode::kConvert:
      return 0.3;
    default:
      return vector_ns;
  }
}

}  // namespace stridecast
