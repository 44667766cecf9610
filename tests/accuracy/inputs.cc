// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/accuracy/inputs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numbers>

#include "tests/support/numbers.h"

namespace stridecast::accuracy {
namespace {

using testing::BitsOfDouble;
using testing::BitsOfFloat;
using testing::CutToWidth;
using testing::DoubleOf;
using testing::FloatFormat;
using testing::FloatOf;
using testing::FormatOf;

// Where a function's value, or an implementation, turns: limits of the range of
// exp, exp2, sinh and their like of f32 and f64; where erf, erfc, tanh and the
// activations saturate; zeros of lgamma and digamma; ends of domains.
constexpr double kPoints[] = {
    0.0,
    0x1p-1074,
    0x1p-1022,
    0x1p-149,
    0x1p-126,
    0x1p-54,
    0x1p-27,
    0x1p-24,
    0x1p-12,
    0.25,
    0.34657,
    0.5,
    0.70710678,
    0.84375,
    0.9375,
    1.0,
    1.25,
    1.41421356,
    1.46163214496,
    1.5,
    2.0,
    2.45702,
    2.71828,
    3.0,
    3.90625,
    4.0,
    5.0,
    5.9215872,
    6.0,
    8.0,
    9.0109,
    10.0546,
    16.0,
    17.3287,
    19.0615,
    26.543259,
    30.0,
    32.0,
    64.0,
    87.336544,
    88.722839,
    89.415986,
    103.97208,
    126.0,
    127.0,
    128.0,
    149.0,
    150.0,
    308.25471,
    708.39641853,
    709.78271289,
    710.47586,
    745.13321,
    1022.0,
    1023.0,
    1024.0,
    1074.0,
    1075.0,
    65536.0,
    8388608.0,
    16777216.0,
    2147483648.0,
    0x1p52,
    0x1p53,
    0x1p63,
    0x1p127,
    0x1.fffffep127,
    0x1.fffffffffffffp1023,
};
constexpr uint64_t kNeighbours = 512;  // on either side
constexpr uint64_t kPerPoint = 2 * (2 * kNeighbours + 1);
constexpr uint64_t kNearPoints = std::size(kPoints) * kPerPoint;

// Multiples of pi/2: each up to here, then powers of two.
constexpr uint64_t kMultiples = 8192;
constexpr uint64_t kGreatMultiples = 1000;
constexpr uint64_t kPerMultiple = 5;
constexpr uint64_t kNearMultiples =
    (kMultiples + kGreatMultiples) * kPerMultiple;
constexpr uint64_t kNear = kNearPoints + kNearMultiples;

// splitmix64: a bijection whose values look random.
uint64_t Hash(uint64_t i) {
  i += 0x9E3779B97F4A7C15;
  i = (i ^ i >> 30) * 0xBF58476D1CE4E5B9;
  i = (i ^ i >> 27) * 0x94D049BB133111EB;
  return i ^ i >> 31;
}

// Numbers that are drawn one after the other from one hash.
class Draw {
 public:
  explicit Draw(uint64_t i) : state_(Hash(i)) {}
  uint64_t Bits() { return state_ = Hash(state_); }
  double Unit() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }
  double Within(double reach) { return (2 * Unit() - 1) * reach; }
  double Sign() { return (Bits() & 1) != 0 ? -1 : 1; }
  // Any magnitude from 2^low to 2^high.
  double Magnitude(double low, double high) {
    return std::exp2(low + Unit() * (high - low));
  }

 private:
  uint64_t state_;
};

uint64_t BitsOf(DType type, double value) {
  return type == DType::kF64 ? BitsOfDouble(value)
                             : BitsOfFloat(type, static_cast<float>(value));
}

double ValueOf(DType type, uint64_t bits) {
  return type == DType::kF64 ? DoubleOf(bits)
                             : static_cast<double>(FloatOf(type, bits));
}

// `steps` numbers further from 0, or nearer and on past it.
uint64_t Neighbour(DType type, uint64_t bits, int64_t steps) {
  const uint64_t sign = FormatOf(type).sign_mask();
  const auto magnitude = static_cast<int64_t>(bits & ~sign) + steps;
  if (magnitude >= 0) return (bits & sign) | static_cast<uint64_t>(magnitude);
  return ((bits & sign) ^ sign) | static_cast<uint64_t>(-magnitude);
}

uint64_t NearPoint(DType type, uint64_t i) {
  const double point = kPoints[i / kPerPoint];
  const auto place = static_cast<int64_t>(i % kPerPoint / 2);
  return Neighbour(type, BitsOf(type, i % 2 == 0 ? point : -point),
                   place - static_cast<int64_t>(kNeighbours));
}

uint64_t NearMultipleOfHalfPi(DType type, uint64_t i) {
  const uint64_t k = i / kPerMultiple;
  const double multiple =
      k < kMultiples ? static_cast<double>(k + 1)
                     : std::exp2(static_cast<double>(k - kMultiples + 13));
  const auto product = static_cast<double>(std::numbers::pi_v<long double> / 2 *
                                           static_cast<long double>(multiple));
  return Neighbour(type, BitsOf(type, product),
                   static_cast<int64_t>(i % kPerMultiple) - 2);
}

uint64_t RandomNumber(DType type, Draw& draw) {
  const double reach = type == DType::kF64 ? 760 : 110;
  switch (draw.Bits() % 4) {
    case 0:
      return CutToWidth(type, draw.Bits());
    case 1:
      return BitsOf(type, draw.Sign() * draw.Magnitude(-40, 11));
    case 2:
      return BitsOf(type, draw.Within(reach));
    default:
      return BitsOf(type, draw.Within(8));
  }
}

uint64_t UnaryBits(DType type, uint64_t i) {
  if (i % 4 == 0) {
    // Any few of them are spread over all; 7919 is a prime that kNear lacks.
    const uint64_t near = i / 4 * 7919 % kNear;
    return near < kNearPoints ? NearPoint(type, near)
                              : NearMultipleOfHalfPi(type, near - kNearPoints);
  }
  Draw draw(i);
  return RandomNumber(type, draw);
}

// Bases and exponents whose power is in the type's range, just out of it, or
// near 1.
Input PowerInput(DType type, Draw& draw) {
  const double reach = type == DType::kF64 ? 1100 : 155;
  double x = draw.Magnitude(-30, 30);
  if (draw.Bits() % 2 == 0) x = 1 + draw.Sign() * draw.Magnitude(-30, -1);
  x = ValueOf(type, BitsOf(type, x));
  const double scale = draw.Bits() % 4 == 0 ? draw.Magnitude(-30, 0) : 1;
  double y = draw.Within(reach) * scale / std::log2(x);
  if (draw.Bits() % 4 == 0) {
    y = std::round(y);
    x *= draw.Sign();
  }
  return {BitsOf(type, x), BitsOf(type, y)};
}

// Both of similar magnitude.
Input SimilarInput(DType type, Draw& draw) {
  const double x = ValueOf(type, RandomNumber(type, draw));
  const double ratio = draw.Sign() * draw.Magnitude(-14, 14);
  return {BitsOf(type, x), BitsOf(type, x * ratio)};
}

// Sums of exponentials near 1, whose logarithm is near 0, and others.
Input LogaddexpInput(DType type, Draw& draw) {
  if (draw.Bits() % 2 == 0) {
    const double x = -draw.Magnitude(-20, 5);
    return {BitsOf(type, x), BitsOf(type, std::log(-std::expm1(x)))};
  }
  const double x = draw.Within(draw.Magnitude(-10, 10));
  return {BitsOf(type, x), BitsOf(type, x + draw.Within(40))};
}

// Around the unit circle, where the logarithm's real part is near 0.
Input CircleInput(DType type, Draw& draw) {
  const double angle = draw.Within(std::numbers::pi);
  const double radius = 1 + draw.Sign() * draw.Magnitude(-60, -2);
  return {BitsOf(type, radius * std::cos(angle)),
          BitsOf(type, radius * std::sin(angle))};
}

Input RelatedInput(Opcode opcode, DType type, Draw& draw) {
  switch (opcode) {
    case Opcode::kPower:
      return PowerInput(type, draw);
    case Opcode::kLogaddexp:
      return LogaddexpInput(type, draw);
    case Opcode::kLog:
      return CircleInput(type, draw);
    default:
      return SimilarInput(type, draw);
  }
}

// Numbers whose pairs have rules of their own.
uint64_t SpecialNumber(DType type, Draw& draw) {
  const FloatFormat format = FormatOf(type);
  const uint64_t one = BitsOf(type, 1);
  const uint64_t numbers[] = {0,
                              1,
                              uint64_t{1} << format.mantissa_bits,
                              one - 1,
                              one,
                              one + 1,
                              BitsOf(type, 0.5),
                              BitsOf(type, 2),
                              BitsOf(type, 3),
                              format.infinity() - 1,
                              format.infinity(),
                              format.canonical_nan()};
  const uint64_t sign = draw.Bits() % 2 == 0 ? format.sign_mask() : 0;
  return sign | numbers[draw.Bits() % std::size(numbers)];
}

}  // namespace

Input NearInput(Input centre, bool is_pair, int free_bits, uint64_t i) {
  const uint64_t free = (uint64_t{1} << free_bits) - 1;
  Draw draw(i);
  const auto near = [&](uint64_t bits) {
    return (bits & ~free) | (draw.Bits() & free);
  };
  Input input;
  input.x = near(centre.x);
  input.y = is_pair ? near(centre.y) : centre.y;
  return input;
}

Input UnaryInput(DType type, uint64_t i) { return {UnaryBits(type, i), 0}; }

Input BinaryInput(Opcode opcode, DType type, uint64_t i) {
  if (i % 2 == 0) {
    Draw draw(i);
    return RelatedInput(opcode, type, draw);
  }
  if (i % 8 == 1) {
    Draw draw(i);
    const uint64_t x = SpecialNumber(type, draw);
    return {x, draw.Bits() % 4 == 0 ? UnaryBits(type, draw.Bits())
                                    : SpecialNumber(type, draw)};
  }
  // Near a point and near another, near one and random, both random.
  return {UnaryBits(type, Hash(i)), UnaryBits(type, Hash(i + 1))};
}

}  // namespace stridecast::accuracy
