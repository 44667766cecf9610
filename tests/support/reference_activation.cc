// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's activations that are made of exactly defined steps, each
// rounded, SEMANTICS.md 4.

#include <cmath>

#include "tests/support/reference_numbers.h"

namespace stridecast::testing {
namespace {

Scalars Defaults(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLeakyRelu:
      return {0.01, 0};
    case Opcode::kHardSigmoid:
      return {0.2, 0.5};
    case Opcode::kShrink:
      return {0.5, 0};
    case Opcode::kIsClose:
      return {1e-5, 1e-8};
    default:
      return {1, 0};
  }
}

// MINIMUM(MAXIMUM(x, 0), high).
uint64_t Limited(DType type, uint64_t x, double high) {
  const auto number = [&](double value) {
    return type == DType::kF64 ? BitsOfDouble(value)
                               : BitsOfFloat(type, static_cast<float>(value));
  };
  return Minimum(type, Maximum(type, x, number(0)), number(high));
}

// As above, on a number that is still to be rounded to its type.
template <typename T>
T LimitedFloat(T x, T high) {
  if (std::isnan(x)) return x;
  return x <= 0 ? T{0} : x >= high ? high : x;
}

// Not by casts: g++ 12 drops two of them, side by side, at -O2.
double RoundedToF32(double value) {
  const uint64_t bits =
      RoundToFloat(DType::kF32, ToExact(DType::kF64, BitsOfDouble(value)));
  return static_cast<double>(FloatOf(DType::kF32, bits));
}

}  // namespace

Scalars ScalarsOf(const Instruction& instruction, DType type) {
  Scalars scalars = Defaults(instruction.opcode);
  if (const auto* a = std::get_if<ScalarsAttribute>(&instruction.attribute)) {
    scalars.alpha = a->alpha.value_or(scalars.alpha);
    scalars.beta = a->beta.value_or(scalars.beta);
  }
  if (type != DType::kF64) {
    scalars = {RoundedToF32(scalars.alpha), RoundedToF32(scalars.beta)};
  }
  return scalars;
}

uint64_t Activation(const Instruction& instruction, DType type, uint64_t x) {
  const Scalars scalars = ScalarsOf(instruction, type);
  switch (instruction.opcode) {
    case Opcode::kRelu:
      return Maximum(type, x, 0);
    case Opcode::kRelu6:
      return Limited(type, x, 6);
    case Opcode::kLeakyRelu:
      return OnFloats(
          type,
          [&](auto a) {
            return a < 0 ? static_cast<decltype(a)>(scalars.alpha) * a : a;
          },
          x);
    case Opcode::kSoftsign:
      return OnFloats(
          type, [](auto a) { return a / (1 + std::abs(a)); }, x);
    case Opcode::kHardSigmoid:
      return OnFloats(
          type,
          [&](auto a) {
            using T = decltype(a);
            const T product = static_cast<T>(scalars.alpha) * a;
            return LimitedFloat(product + static_cast<T>(scalars.beta), T{1});
          },
          x);
    case Opcode::kThresholdedRelu:
      return OnFloats(
          type,
          [&](auto a) {
            using T = decltype(a);
            if (std::isnan(a)) return a;
            return a > static_cast<T>(scalars.alpha) ? a : T{0};
          },
          x);
    case Opcode::kShrink:
      return OnFloats(
          type,
          [&](auto a) {
            using T = decltype(a);
            const T limit = static_cast<T>(scalars.alpha);
            const T shift = static_cast<T>(scalars.beta);
            if (std::isnan(a)) return a;
            return a < -limit ? a + shift : a > limit ? a - shift : T{0};
          },
          x);
    default:  // kHardSwish
      return OnFloats(
          type,
          [](auto a) {
            using T = decltype(a);
            return a * LimitedFloat(a + 3, T{6}) / 6;
          },
          x);
  }
}

}  // namespace stridecast::testing
