// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/expression/fold.h"

#include <cmath>
#include <limits>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

absl::int128 Wide(const Number& x) {
  const absl::int128 magnitude = x.magnitude();
  return x.is_negative() ? -magnitude : magnitude;
}

absl::StatusOr<Number> Narrow(absl::int128 x) {
  const absl::int128 magnitude = x < 0 ? -x : x;
  if (magnitude > std::numeric_limits<uint64_t>::max()) {
    return absl::InvalidArgumentError("an integer past 64 bits");
  }
  return Number::Integer(x < 0, static_cast<uint64_t>(magnitude));
}

absl::StatusOr<Number> Product(const Number& x, const Number& y) {
  uint64_t magnitude = 0;
  if (__builtin_mul_overflow(x.magnitude(), y.magnitude(), &magnitude)) {
    return absl::InvalidArgumentError("an integer past 64 bits");
  }
  return Number::Integer(x.is_negative() != y.is_negative(), magnitude);
}

// By squaring; the square after the last one that is needed may be too great.
absl::StatusOr<Number> IntegerPower(Number base, uint64_t exponent) {
  Number power = 1;
  while (true) {
    if ((exponent & 1) != 0) {
      ASSIGN_OR_RETURN(power, Product(power, base));
    }
    exponent >>= 1;
    if (exponent == 0) return power;
    ASSIGN_OR_RETURN(base, Product(base, base));
  }
}

double Real(Opcode opcode, double x, double y) {
  switch (opcode) {
    case Opcode::kAdd:
      return x + y;
    case Opcode::kSubtract:
      return x - y;
    case Opcode::kMultiply:
      return x * y;
    case Opcode::kDivide:
      return x / y;
    default:
      return std::pow(x, y);
  }
}

}  // namespace

Number Negated(const Number& x) {
  return x.kind() == Number::Kind::kFloating
             ? Number(-x.AsDouble())
             : Number::Integer(!x.is_negative(), x.magnitude());
}

bool IsFolded(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kDivide:
    case Opcode::kPower:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<Number> Folded(Opcode opcode, const Number& x, const Number& y) {
  const bool are_integers =
      x.kind() == Number::Kind::kInteger && y.kind() == Number::Kind::kInteger;
  if (are_integers) {
    switch (opcode) {
      case Opcode::kAdd:
        return Narrow(Wide(x) + Wide(y));
      case Opcode::kSubtract:
        return Narrow(Wide(x) - Wide(y));
      case Opcode::kMultiply:
        return Product(x, y);
      case Opcode::kPower:
        if (!y.is_negative()) return IntegerPower(x, y.magnitude());
        break;
      default:
        break;
    }
  }
  return Number(Real(opcode, x.AsDouble(), y.AsDouble()));
}

}  // namespace stridecast
