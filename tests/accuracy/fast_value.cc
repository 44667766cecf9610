// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/accuracy/fast_value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace stridecast::accuracy {
namespace {

template <typename T>
T Logaddexp(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return x + y;
  const T greater = std::max(x, y);
  if (std::isinf(greater)) return greater;
  return greater + std::log1p(std::exp(std::min(x, y) - greater));
}

template <typename T>
T Elu(T x) {
  return x > 0 ? x : std::expm1(x);
}

template <typename T>
T Softplus(T x) {
  return std::log1p(std::exp(-std::abs(x))) + (x < 0 ? 0 : x);
}

// x tanh(log(1 + e^x)) with n = e^x (e^x + 2).
template <typename T>
T Mish(T x) {
  const T e = std::exp(x);
  const T n = e * (e + 2);
  return x * (1 / (1 + 2 / n));
}

template <typename T>
T GeluTanh(T x) {
  const T scale = 2 * std::sqrt(2 / std::numbers::pi_v<T>);
  const T cubed = T{44715} / 1000000 * x * x * x;
  return x / (1 + std::exp(-scale * (x + cubed)));
}

template <typename T>
T Activation(Opcode opcode, T x) {
  switch (opcode) {
    case Opcode::kElu:
      return Elu(x);
    case Opcode::kSelu:
      return static_cast<T>(1.0507009873554805L) *
             (x > 0 ? x : static_cast<T>(1.6732632423543772L) * std::expm1(x));
    case Opcode::kCelu:
      return x == 0 ? T{0} : Elu(x);
    case Opcode::kSoftplus:
      return Softplus(x);
    case Opcode::kSwish:
      return x / (1 + std::exp(-x));
    case Opcode::kMish:
      return Mish(x);
    case Opcode::kGeluErf:
      return x / 2 * std::erfc(-x / std::numbers::sqrt2_v<T>);
    case Opcode::kGeluTanh:
      return GeluTanh(x);
    default:
      return std::numeric_limits<T>::quiet_NaN();
  }
}

template <typename T>
T Value(Opcode opcode, T x, T y) {
  switch (opcode) {
    case Opcode::kPower:
      return std::pow(x, y);
    case Opcode::kAtan2:
      return std::atan2(x, y);
    case Opcode::kHypot:
      return std::hypot(x, y);
    case Opcode::kLogaddexp:
      return Logaddexp(x, y);
    case Opcode::kExp:
      return std::exp(x);
    case Opcode::kExpm1:
      return std::expm1(x);
    case Opcode::kExp2:
      return std::exp2(x);
    case Opcode::kLog:
      return std::log(x);
    case Opcode::kLog1p:
      return std::log1p(x);
    case Opcode::kLog2:
      return std::log2(x);
    case Opcode::kLog10:
      return std::log10(x);
    case Opcode::kRsqrt:
      return 1 / std::sqrt(x);
    case Opcode::kCbrt:
      return std::cbrt(x);
    case Opcode::kSin:
      return std::sin(x);
    case Opcode::kCos:
      return std::cos(x);
    case Opcode::kTan:
      return std::tan(x);
    case Opcode::kAsin:
      return std::asin(x);
    case Opcode::kAcos:
      return std::acos(x);
    case Opcode::kAtan:
      return std::atan(x);
    case Opcode::kSinh:
      return std::sinh(x);
    case Opcode::kCosh:
      return std::cosh(x);
    case Opcode::kTanh:
      return std::tanh(x);
    case Opcode::kAsinh:
      return std::asinh(x);
    case Opcode::kAcosh:
      return std::acosh(x);
    case Opcode::kAtanh:
      return std::atanh(x);
    case Opcode::kLogistic:
      return 1 / (1 + std::exp(-x));
    case Opcode::kErf:
      return std::erf(x);
    case Opcode::kErfc:
      return std::erfc(x);
    default:
      return Activation(opcode, x);
  }
}

}  // namespace

double FastValue(Opcode opcode, double x, double y) {
  return Value(opcode, x, y);
}

long double FastValue(Opcode opcode, long double x, long double y) {
  return Value(opcode, x, y);
}

}  // namespace stridecast::accuracy
