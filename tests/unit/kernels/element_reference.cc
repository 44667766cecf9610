// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/kernels/element_reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace stridecast::kernel_tests {
namespace {

using int128 = __int128;
using uint128 = unsigned __int128;

struct FloatFormat {
  int mantissa_bits;
  int exponent_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  // Of the least bit of subnormals.
  int least_exponent() const { return 1 - bias() - mantissa_bits; }
  uint64_t infinity() const {
    return ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  uint64_t sign() const {
    return uint64_t{1} << (mantissa_bits + exponent_bits);
  }
};

FloatFormat FormatOf(DType type) {
  switch (type) {
    case DType::kF16:
      return {10, 5};
    case DType::kBF16:
      return {7, 8};
    case DType::kF32:
      return {23, 8};
    default:
      return {52, 11};
  }
}

uint64_t LoadBits(DType type, const std::byte* element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, static_cast<size_t>(ElementBytes(type)));
  return bits;
}

void StoreBits(DType type, uint64_t bits, std::byte* element) {
  std::memcpy(element, &bits, static_cast<size_t>(ElementBytes(type)));
}

int TopBit(uint128 x) {
  const uint64_t high = static_cast<uint64_t>(x >> 64);
  return high != 0 ? 127 - std::countl_zero(high)
                   : 63 - std::countl_zero(static_cast<uint64_t>(x));
}

bool IsZero(const Number& x) {
  return x.kind == Number::kFinite && x.mantissa == 0;
}

// Integers and preds as such.
int128 LoadInteger(DType type, const std::byte* element) {
  const uint64_t bits = LoadBits(type, element);
  const int width = static_cast<int>(ElementBytes(type)) * 8;
  int128 value = bits;
  if (ClassOf(type) == kSignedClass && (bits >> (width - 1) & 1) != 0) {
    value -= int128{1} << width;
  }
  return value;
}

int128 LeastOf(DType type) {
  const int width = static_cast<int>(ElementBytes(type)) * 8;
  return ClassOf(type) == kSignedClass ? -(int128{1} << (width - 1)) : 0;
}

int128 GreatestOf(DType type) {
  const int width = static_cast<int>(ElementBytes(type)) * 8;
  return (int128{1} << (ClassOf(type) == kSignedClass ? width - 1 : width)) - 1;
}

double ToDouble(DType type, const std::byte* element) {
  const Number x = Decode(type, element);
  if (x.kind == Number::kNan) return std::nan("");
  double value =
      x.kind == Number::kInfinity
          ? INFINITY
          : std::ldexp(static_cast<double>(static_cast<uint64_t>(x.mantissa)),
                       x.exponent);
  return x.negative ? -value : value;
}

Number FromDouble(double x) {
  return Decode(DType::kF64, reinterpret_cast<const std::byte*>(&x));
}

void StoreDouble(DType type, double x, std::byte* result) {
  StoreBits(type, EncodeFloat(type, FromDouble(x)), result);
}

template <class T>
T Max(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

template <class T>
T Min(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return b < a ? b : a;
}

// One operation in T. For f16 and bf16 T is double: 53 bits are more than twice
// theirs and two, so rounding again does no harm.
template <class T>
T FloatOperation(Opcode opcode, const T* x) {
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
    case Opcode::kMaximum:
      return Max(x[0], x[1]);
    case Opcode::kMinimum:
      return Min(x[0], x[1]);
    case Opcode::kClamp:
      return Min(Max(x[1], x[0]), x[2]);
    case Opcode::kSqrt:
      return std::sqrt(x[0]);
    default:
      std::abort();
  }
}

int ArityOf(Opcode opcode) {
  switch (OperationOf(opcode).form) {
    case Form::kUnary:
    case Form::kConvert:
      return 1;
    case Form::kBinary:
    case Form::kCompare:
      return 2;
    default:
      return 3;
  }
}

void ComputeFloat(Opcode opcode, DType type, const std::byte* const* operands,
                  std::byte* result) {
  if (opcode == Opcode::kAbs || opcode == Opcode::kNegate) {
    const uint64_t bits = LoadBits(type, operands[0]);
    const uint64_t sign = FormatOf(type).sign();
    StoreBits(type, opcode == Opcode::kAbs ? bits & ~sign : bits ^ sign,
              result);
    return;
  }
  double x[3];
  float x_f32[3];
  for (int k = 0; k < ArityOf(opcode); ++k) {
    x[k] = ToDouble(type, operands[k]);
    x_f32[k] = static_cast<float>(x[k]);
  }
  StoreDouble(type,
              type == DType::kF32
                  ? static_cast<double>(FloatOperation(opcode, x_f32))
                  : FloatOperation(opcode, x),
              result);
}

int128 IntegerOperation(Opcode opcode, DType type, const int128* x) {
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
    case Opcode::kMaximum:
      return x[0] < x[1] ? x[1] : x[0];
    case Opcode::kMinimum:
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
    case Opcode::kAbs:
      return x[0] < 0 ? -x[0] : x[0];
    case Opcode::kNegate:
      return -x[0];
    case Opcode::kNot:
      return type == DType::kPred ? 1 - x[0] : ~x[0];
    default:
      std::abort();
  }
}

void ComputeInteger(Opcode opcode, DType type, const std::byte* const* operands,
                    std::byte* result) {
  if (type == DType::kPred && opcode == Opcode::kAdd) opcode = Opcode::kOr;
  if (type == DType::kPred && opcode == Opcode::kMultiply) {
    opcode = Opcode::kAnd;
  }
  int128 x[3];
  for (int k = 0; k < ArityOf(opcode); ++k) {
    x[k] = LoadInteger(type, operands[k]);
  }
  StoreBits(type, static_cast<uint64_t>(IntegerOperation(opcode, type, x)),
            result);
}

template <class T>
void ComplexOperation(Opcode opcode, const T* x, const T* y, T* result) {
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

template <class T>
void ComputeComplexIn(Opcode opcode, DType real,
                      const std::byte* const* operands, std::byte* result) {
  T x[2];
  T y[2] = {};
  T z[2];
  std::memcpy(x, operands[0], sizeof(x));
  if (opcode == Opcode::kAbs) {
    // Computed in x87's 64 bits; hypotl(inf, NaN) is inf.
    StoreDouble(real, static_cast<double>(static_cast<T>(hypotl(x[0], x[1]))),
                result);
    return;
  }
  std::memcpy(y, operands[1], sizeof(y));
  ComplexOperation(opcode, x, y, z);
  StoreDouble(real, static_cast<double>(z[0]), result);
  StoreDouble(real, static_cast<double>(z[1]), result + sizeof(T));
}

void ComputeComplex(Opcode opcode, DType type, const std::byte* const* operands,
                    std::byte* result) {
  if (opcode == Opcode::kNegate) {
    const size_t part_bytes = static_cast<size_t>(ElementBytes(type)) / 2;
    std::memcpy(result, operands[0], 2 * part_bytes);
    result[part_bytes - 1] ^= std::byte{0x80};
    result[2 * part_bytes - 1] ^= std::byte{0x80};
  } else if (type == DType::kC64) {
    ComputeComplexIn<float>(opcode, DType::kF32, operands, result);
  } else {
    ComputeComplexIn<double>(opcode, DType::kF64, operands, result);
  }
}

// -1, 0, 1; none if unordered.
std::optional<int> Order(DType type, bool total, const std::byte* a,
                         const std::byte* b) {
  if (!IsFloat(type)) {
    const int128 x = LoadInteger(type, a);
    const int128 y = LoadInteger(type, b);
    return x < y ? -1 : x == y ? 0 : 1;
  }
  if (total) {
    const auto key = [&](const std::byte* element) {
      const uint64_t bits = LoadBits(type, element);
      const uint64_t sign = FormatOf(type).sign();
      const int128 magnitude = bits & ~sign;
      return (bits & sign) != 0 ? -magnitude - 1 : magnitude;
    };
    return key(a) < key(b) ? -1 : key(a) == key(b) ? 0 : 1;
  }
  const double x = ToDouble(type, a);
  const double y = ToDouble(type, b);
  if (std::isnan(x) || std::isnan(y)) return std::nullopt;
  return x < y ? -1 : x == y ? 0 : 1;
}

bool Holds(CompareAttribute::Direction direction, std::optional<int> order) {
  using Direction = CompareAttribute::Direction;
  if (!order) return direction == Direction::kNe;
  switch (direction) {
    case Direction::kEq:
      return *order == 0;
    case Direction::kNe:
      return *order != 0;
    case Direction::kGe:
      return *order >= 0;
    case Direction::kGt:
      return *order > 0;
    case Direction::kLe:
      return *order <= 0;
    case Direction::kLt:
      return *order < 0;
  }
  std::abort();
}

bool ComputeCompare(DType type, const CompareAttribute& compare,
                    const std::byte* const* operands) {
  if (!IsComplex(type)) {
    return Holds(compare.direction,
                 Order(type, compare.total_order, operands[0], operands[1]));
  }
  const DType real = RealType(type);
  const int64_t part_bytes = ElementBytes(real);
  const bool equal = Order(real, false, operands[0], operands[1]) == 0 &&
                     Order(real, false, operands[0] + part_bytes,
                           operands[1] + part_bytes) == 0;
  return equal == (compare.direction == CompareAttribute::Direction::kEq);
}

uint64_t EncodeInteger(DType type, bool saturates, const Number& x) {
  if (x.kind == Number::kNan) return 0;
  const bool is_huge =
      x.kind == Number::kInfinity ||
      (x.mantissa != 0 && TopBit(x.mantissa) + x.exponent >= 100);
  if (saturates) {
    int128 value = int128{1} << 100;
    if (!is_huge) {
      value = static_cast<int128>(x.exponent >= 0    ? x.mantissa << x.exponent
                                  : x.exponent > -64 ? x.mantissa >> -x.exponent
                                                     : uint128{0});
    }
    if (x.negative) value = -value;
    if (value < LeastOf(type)) value = LeastOf(type);
    if (value > GreatestOf(type)) value = GreatestOf(type);
    return static_cast<uint64_t>(value);
  }
  if (x.kind == Number::kInfinity) return 0;
  const uint128 magnitude = x.exponent >= 128  ? 0
                            : x.exponent >= 0  ? x.mantissa << x.exponent
                            : x.exponent > -64 ? x.mantissa >> -x.exponent
                                               : uint128{0};
  return static_cast<uint64_t>(x.negative ? -magnitude : magnitude);
}

void ConvertReal(DType from, DType to, Overflow overflow,
                 const std::byte* source, std::byte* result) {
  const Number x = Decode(from, source);
  if (to == DType::kPred) {
    StoreBits(to, IsZero(x) ? 0 : 1, result);
  } else if (IsFloat(to)) {
    StoreBits(to, EncodeFloat(to, x), result);
  } else {
    const bool saturates = overflow == Overflow::kUnspecified
                               ? IsFloat(from)
                               : overflow == Overflow::kSaturate;
    StoreBits(to, EncodeInteger(to, saturates, x), result);
  }
}

void ComputeConvert(DType from, const ConvertAttribute& convert,
                    const std::byte* source, std::byte* result) {
  const DType to = convert.type;
  const DType real_from = RealType(from);
  const DType real_to = RealType(to);
  ConvertReal(real_from, real_to, convert.overflow, source, result);
  if (!IsComplex(to)) return;
  std::byte* imaginary = result + ElementBytes(real_to);
  if (IsComplex(from)) {
    ConvertReal(real_from, real_to, convert.overflow,
                source + ElementBytes(real_from), imaginary);
  } else {
    StoreBits(real_to, 0, imaginary);
  }
}

}  // namespace

Number Decode(DType type, const std::byte* element) {
  Number x;
  if (!IsFloat(type)) {
    const int128 value = LoadInteger(type, element);
    x.negative = value < 0;
    x.mantissa = static_cast<uint128>(value < 0 ? -value : value);
    return x;
  }
  const FloatFormat format = FormatOf(type);
  const uint64_t bits = LoadBits(type, element);
  x.negative = (bits & format.sign()) != 0;
  const uint64_t magnitude = bits & (format.sign() - 1);
  if (magnitude >= format.infinity()) {
    x.kind = magnitude == format.infinity() ? Number::kInfinity : Number::kNan;
    return x;
  }
  const uint64_t field = magnitude >> format.mantissa_bits;
  x.mantissa = magnitude & ((uint64_t{1} << format.mantissa_bits) - 1);
  x.exponent = format.least_exponent();
  if (field != 0) {
    x.mantissa |= uint64_t{1} << format.mantissa_bits;
    x.exponent += static_cast<int>(field) - 1;
  }
  return x;
}

uint64_t EncodeFloat(DType type, const Number& x) {
  const FloatFormat format = FormatOf(type);
  if (x.kind == Number::kNan) {
    return format.infinity() | uint64_t{1} << (format.mantissa_bits - 1);
  }
  const uint64_t sign = x.negative ? format.sign() : 0;
  if (x.kind == Number::kInfinity) return sign | format.infinity();
  if (x.mantissa == 0) return sign;
  // In units of the last place that the result has.
  const int unit =
      std::max(TopBit(x.mantissa) + x.exponent - format.mantissa_bits,
               format.least_exponent());
  uint128 units;
  if (x.exponent >= unit) {
    units = x.mantissa << (x.exponent - unit);
  } else {
    const int shift = unit - x.exponent;
    if (shift > 127) return sign;
    units = x.mantissa >> shift;
    const uint128 rest = x.mantissa - (units << shift);
    const uint128 half = uint128{1} << (shift - 1);
    if (rest > half || (rest == half && (units & 1) != 0)) ++units;
  }
  const uint64_t field = static_cast<uint64_t>(unit - format.least_exponent());
  if (field >= uint64_t{1} << format.exponent_bits) {
    return sign | format.infinity();
  }
  const uint64_t bits =
      (field << format.mantissa_bits) + static_cast<uint64_t>(units);
  return sign | std::min(bits, format.infinity());
}

void ComputeReference(Opcode opcode, DType type, const Attribute& attribute,
                      const std::byte* const* operands, std::byte* result) {
  const size_t element_bytes = static_cast<size_t>(ElementBytes(type));
  switch (opcode) {
    case Opcode::kIdentity:
      std::memcpy(result, operands[0], element_bytes);
      return;
    case Opcode::kSelect:
      std::memcpy(result, operands[*operands[0] != std::byte{0} ? 1 : 2],
                  element_bytes);
      return;
    case Opcode::kConvert:
      ComputeConvert(type, std::get<ConvertAttribute>(attribute), operands[0],
                     result);
      return;
    case Opcode::kCompare:
      *result = std::byte{ComputeCompare(
          type, std::get<CompareAttribute>(attribute), operands)};
      return;
    default:
      break;
  }
  if (IsComplex(type)) {
    ComputeComplex(opcode, type, operands, result);
  } else if (IsFloat(type)) {
    ComputeFloat(opcode, type, operands, result);
  } else {
    ComputeInteger(opcode, type, operands, result);
  }
}

DType ReferenceResultType(Opcode opcode, DType type,
                          const Attribute& attribute) {
  if (opcode == Opcode::kConvert) {
    return std::get<ConvertAttribute>(attribute).type;
  }
  if (opcode == Opcode::kCompare) return DType::kPred;
  if (opcode == Opcode::kAbs) return RealType(type);
  return type;
}

}  // namespace stridecast::kernel_tests
