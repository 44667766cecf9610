// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/kernels/element_operations.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace stridecast::kernel_tests {
namespace {

using uint128 = unsigned __int128;

template <class T>
T Max(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return static_cast<T>(std::nan(""));
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

template <class T>
T Min(T a, T b) {
  return -Max(-a, -b);
}

template <class T>
T FloorMod(T a, T b) {
  const T rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(T{0}, b);
  return std::signbit(rest) != std::signbit(b) ? rest + b : rest;
}

// As NumPy does it.
template <class T>
T FloorDivide(T a, T b) {
  if (b == 0) return a / b;
  const T rest = std::fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && std::signbit(rest) != std::signbit(b)) quotient -= 1;
  if (quotient == 0) return std::copysign(T{0}, a / b);
  T floor = std::floor(quotient);
  if (quotient - floor > T{0.5}) floor += 1;
  return floor;
}

// A constant of the instruction, rounded to T.
template <class T>
T Alpha(const Attribute& attribute, double otherwise) {
  const auto* scalars = std::get_if<ScalarsAttribute>(&attribute);
  return static_cast<T>(scalars != nullptr && scalars->alpha ? *scalars->alpha
                                                             : otherwise);
}
template <class T>
T Beta(const Attribute& attribute, double otherwise) {
  const auto* scalars = std::get_if<ScalarsAttribute>(&attribute);
  return static_cast<T>(scalars != nullptr && scalars->beta ? *scalars->beta
                                                            : otherwise);
}

template <class T>
T FloatOperationIn(Opcode opcode, const Attribute& attribute, const T* x) {
  const T zero = 0;
  const T one = 1;
  switch (opcode) {
    case Opcode::kAdd:
      return x[0] + x[1];
    case Opcode::kSubtract:
      return x[0] - x[1];
    case Opcode::kMultiply:
      return x[0] * x[1];
    case Opcode::kDivide:
      return x[0] / x[1];
    case Opcode::kRemainder:
      return std::fmod(x[0], x[1]);
    case Opcode::kFloorMod:
      return FloorMod(x[0], x[1]);
    case Opcode::kFloorDivide:
      return FloorDivide(x[0], x[1]);
    case Opcode::kMaximum:
      return Max(x[0], x[1]);
    case Opcode::kMinimum:
      return Min(x[0], x[1]);
    case Opcode::kFmax:
      return std::isnan(x[0])   ? x[1]
             : std::isnan(x[1]) ? x[0]
                                : Max(x[0], x[1]);
    case Opcode::kFmin:
      return std::isnan(x[0])   ? x[1]
             : std::isnan(x[1]) ? x[0]
                                : Min(x[0], x[1]);
    case Opcode::kDifferenceSquare:
      return (x[0] - x[1]) * (x[0] - x[1]);
    case Opcode::kMean:
      return (x[0] + x[1]) / 2;
    case Opcode::kHeaviside:
      return std::isnan(x[0]) ? x[0] : x[0] == 0 ? x[1] : x[0] < 0 ? zero : one;
    case Opcode::kClamp:
      return Min(Max(x[1], x[0]), x[2]);
    case Opcode::kFma:
      return std::fma(x[0], x[1], x[2]);
    case Opcode::kSign:
      return std::isnan(x[0]) || x[0] == 0 ? x[0] : x[0] < 0 ? -one : one;
    case Opcode::kCeil:
      return std::ceil(x[0]);
    case Opcode::kFloor:
      return std::floor(x[0]);
    case Opcode::kTrunc:
      return std::trunc(x[0]);
    case Opcode::kRoundNearestEven:
      return std::nearbyint(x[0]);
    case Opcode::kRoundNearestAfz:
      return std::round(x[0]);
    case Opcode::kSqrt:
      return std::sqrt(x[0]);
    case Opcode::kReciprocal:
      return 1 / x[0];
    case Opcode::kSquare:
      return x[0] * x[0];
    case Opcode::kIsFinite:
      return std::isfinite(x[0]) ? one : zero;
    case Opcode::kIsNan:
      return std::isnan(x[0]) ? one : zero;
    case Opcode::kIsInf:
      return std::isinf(x[0]) ? one : zero;
    case Opcode::kIsPosInf:
      return std::isinf(x[0]) && x[0] > 0 ? one : zero;
    case Opcode::kIsNegInf:
      return std::isinf(x[0]) && x[0] < 0 ? one : zero;
    case Opcode::kRelu:
      return Max(x[0], zero);
    case Opcode::kRelu6:
      return Min(Max(x[0], zero), T{6});
    case Opcode::kLeakyRelu:
      return x[0] < 0 ? Alpha<T>(attribute, 0.01) * x[0] : x[0];
    case Opcode::kHardSigmoid:
      return Min(
          Max(Alpha<T>(attribute, 0.2) * x[0] + Beta<T>(attribute, 0.5), zero),
          one);
    case Opcode::kHardSwish:
      return x[0] * Min(Max(x[0] + 3, zero), T{6}) / 6;
    case Opcode::kSoftsign:
      return x[0] / (1 + std::fabs(x[0]));
    case Opcode::kThresholdedRelu:
      return x[0] <= Alpha<T>(attribute, 1) ? zero : x[0];
    case Opcode::kShrink: {
      const T a = Alpha<T>(attribute, 0.5);
      const T b = Beta<T>(attribute, 0);
      return std::isnan(x[0]) ? x[0]
             : x[0] < -a      ? x[0] + b
             : x[0] > a       ? x[0] - b
                              : zero;
    }
    case Opcode::kIsClose: {
      if (std::isinf(x[0]) || std::isinf(x[1]))
        return x[0] == x[1] ? one : zero;
      const T allowed = Beta<T>(attribute, 1e-8) +
                        Alpha<T>(attribute, 1e-5) * std::fabs(x[1]);
      return std::fabs(x[0] - x[1]) <= allowed ? one : zero;
    }
    default:
      std::abort();
  }
}

// By halving the exponent; wraps.
uint128 PowerOf(uint128 base, uint64_t exponent) {
  if (exponent == 0) return 1;
  const uint128 root = PowerOf(base, exponent / 2);
  return exponent % 2 == 0 ? root * root : root * root * base;
}

int128 Power(int128 base, int128 exponent) {
  if (exponent >= 0) {
    return static_cast<int128>(
        PowerOf(static_cast<uint128>(base), static_cast<uint64_t>(exponent)));
  }
  if (base == 1) return 1;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  return 0;
}

// Arithmetic shift of a number; of a pattern of bits if given as unsigned.
int128 ShiftRight(int128 x, uint64_t count) {
  return x >> (count < 127 ? count : 127);
}

int128 FloorQuotient(int128 a, int128 b) {
  const int128 quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

template <class T>
void ComplexOperationIn(Opcode opcode, const T* x, const T* y, T* result) {
  const T a = x[0], b = x[1], c = y[0], d = y[1];
  switch (opcode) {
    case Opcode::kAdd:
      result[0] = a + c;
      result[1] = b + d;
      return;
    case Opcode::kSubtract:
      result[0] = a - c;
      result[1] = b - d;
      return;
    case Opcode::kMultiply:
      result[0] = a * c - b * d;
      result[1] = a * d + b * c;
      return;
    case Opcode::kDivide:
      if (std::fabs(c) >= std::fabs(d)) {
        const T r = d / c;
        const T t = c + d * r;
        result[0] = (a + b * r) / t;
        result[1] = (b - a * r) / t;
      } else {
        const T r = c / d;
        const T t = c * r + d;
        result[0] = (a * r + b) / t;
        result[1] = (b * r - a) / t;
      }
      return;
    default:
      std::abort();
  }
}

}  // namespace

float FloatOperation(Opcode opcode, const Attribute& attribute,
                     const float* x) {
  return FloatOperationIn(opcode, attribute, x);
}

double FloatOperation(Opcode opcode, const Attribute& attribute,
                      const double* x) {
  return FloatOperationIn(opcode, attribute, x);
}

int128 IntegerOperation(Opcode opcode, DType type, const int128* x) {
  const int width = static_cast<int>(ElementBytes(type)) * 8;
  const uint128 mask = (uint128{1} << width) - 1;
  const auto bits = [&](int128 value) {
    return static_cast<uint64_t>(static_cast<uint128>(value) & mask);
  };
  const auto size = [](int128 value) {
    return static_cast<uint64_t>(value < 0 ? -value : value);
  };
  switch (opcode) {
    case Opcode::kAdd:
      return x[0] + x[1];
    case Opcode::kSubtract:
      return x[0] - x[1];
    case Opcode::kMultiply:
      return static_cast<int128>(static_cast<uint128>(x[0]) *
                                 static_cast<uint128>(x[1]));
    case Opcode::kDivide:
      return x[1] == 0 ? -1 : x[0] / x[1];
    case Opcode::kRemainder:
      return x[1] == 0 ? x[0] : x[0] % x[1];
    case Opcode::kFloorDivide:
      return x[1] == 0 ? -1 : FloorQuotient(x[0], x[1]);
    case Opcode::kFloorMod:
      return x[1] == 0 ? x[0] : x[0] - FloorQuotient(x[0], x[1]) * x[1];
    case Opcode::kPower:
      return Power(x[0], x[1]);
    case Opcode::kMaximum:
    case Opcode::kFmax:
      return x[0] < x[1] ? x[1] : x[0];
    case Opcode::kMinimum:
    case Opcode::kFmin:
      return x[0] < x[1] ? x[0] : x[1];
    case Opcode::kClamp: {
      const int128 above = x[1] < x[0] ? x[0] : x[1];
      return above < x[2] ? above : x[2];
    }
    case Opcode::kAnd:
      return x[0] & x[1];
    case Opcode::kOr:
      return x[0] | x[1];
    case Opcode::kXor:
      return x[0] ^ x[1];
    case Opcode::kShiftLeft:
      return bits(x[1]) >= 64 ? 0
                              : static_cast<int128>(bits(x[0])) << bits(x[1]);
    case Opcode::kShiftRightLogical:
      return ShiftRight(bits(x[0]), bits(x[1]));
    case Opcode::kShiftRightArithmetic: {
      const bool top = (bits(x[0]) >> (width - 1)) != 0;
      const int128 value =
          static_cast<int128>(bits(x[0])) - (top ? int128{1} << width : 0);
      return ShiftRight(value, bits(x[1]));
    }
    case Opcode::kDifferenceSquare: {
      const uint128 difference = static_cast<uint128>(x[0] - x[1]);
      return static_cast<int128>(difference * difference);
    }
    case Opcode::kMean:
      return (x[0] + x[1]) / 2;
    case Opcode::kGcd:
      return std::gcd(size(x[0]), size(x[1]));
    case Opcode::kLcm: {
      const uint64_t divisor = std::gcd(size(x[0]), size(x[1]));
      return divisor == 0 ? 0
                          : static_cast<int128>(uint128{size(x[0]) / divisor} *
                                                size(x[1]));
    }
    case Opcode::kAbs:
      return x[0] < 0 ? -x[0] : x[0];
    case Opcode::kNegate:
      return -x[0];
    case Opcode::kSign:
      return x[0] < 0 ? -1 : x[0] > 0 ? 1 : 0;
    case Opcode::kNot:
      return type == DType::kPred ? 1 - x[0] : ~x[0];
    case Opcode::kCeil:
    case Opcode::kFloor:
    case Opcode::kTrunc:
    case Opcode::kRoundNearestEven:
    case Opcode::kRoundNearestAfz:
      return x[0];
    case Opcode::kSquare:
      return static_cast<int128>(static_cast<uint128>(x[0]) *
                                 static_cast<uint128>(x[0]));
    case Opcode::kIsFinite:
      return 1;
    case Opcode::kIsNan:
    case Opcode::kIsInf:
    case Opcode::kIsPosInf:
    case Opcode::kIsNegInf:
      return 0;
    case Opcode::kPopcnt:
      return std::popcount(bits(x[0]));
    case Opcode::kCountLeadingZeros:
      return std::countl_zero(bits(x[0])) - (64 - width);
    case Opcode::kRelu:
      return x[0] < 0 ? 0 : x[0];
    default:
      std::abort();
  }
}

void ComplexOperation(Opcode opcode, const float* x, const float* y,
                      float* result) {
  ComplexOperationIn(opcode, x, y, result);
}

void ComplexOperation(Opcode opcode, const double* x, const double* y,
                      double* result) {
  ComplexOperationIn(opcode, x, y, result);
}

}  // namespace stridecast::kernel_tests
