// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/ulp_bound.h"

namespace stridecast::testing {

bool IsExact(Opcode opcode, DType type) { return UlpBound(opcode, type) == 0; }

double UlpBound(Opcode opcode, DType type) {
  if (!IsFloat(type) && !IsComplex(type)) return 0;
  switch (opcode) {
    case Opcode::kAbs:
      return IsComplex(type) ? 2 : 0;
    case Opcode::kSqrt:
      return IsComplex(type) ? 4 : 0;
    case Opcode::kExp:
    case Opcode::kLog:
      return IsComplex(type) ? 4 : 2;
    case Opcode::kExpm1:
    case Opcode::kExp2:
    case Opcode::kLog1p:
    case Opcode::kLog2:
    case Opcode::kLog10:
    case Opcode::kRsqrt:
    case Opcode::kCbrt:
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kTan:
    case Opcode::kTanh:
    case Opcode::kLogistic:
    case Opcode::kErf:
    case Opcode::kPower:
    case Opcode::kAtan2:
    case Opcode::kHypot:
    case Opcode::kAsin:
    case Opcode::kAcos:
    case Opcode::kAtan:
    case Opcode::kSinh:
    case Opcode::kCosh:
    case Opcode::kAsinh:
    case Opcode::kAcosh:
    case Opcode::kAtanh:
      return 2;
    case Opcode::kGeluErf:
      return type == DType::kF64 ? 4 : 2;
    case Opcode::kLogaddexp:
    case Opcode::kErfc:
    case Opcode::kLgamma:
    case Opcode::kDigamma:
    case Opcode::kElu:
    case Opcode::kSelu:
    case Opcode::kCelu:
    case Opcode::kSoftplus:
    case Opcode::kSwish:
    case Opcode::kMish:
    case Opcode::kGeluTanh:
      return 4;
    default:
      return 0;
  }
}

}  // namespace stridecast::testing
