// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/kernels/element_reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "tests/unit/kernels/element_operations.h"
#include "tests/unit/kernels/harness.h"

namespace stridecast::kernel_tests {
namespace {

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

// The step from x toward y, counted along the number line, where -0 and +0 lie
// beside each other.
uint64_t NextAfter(const FloatFormat& format, uint64_t x, uint64_t y) {
  const auto place = [&](uint64_t bits) {
    const int64_t size = static_cast<int64_t>(bits & (format.sign() - 1));
    return (bits & format.sign()) != 0 ? -size : size;
  };
  const int64_t least_nan = static_cast<int64_t>(format.infinity()) + 1;
  if (std::abs(place(x)) >= least_nan || std::abs(place(y)) >= least_nan) {
    return format.infinity() | uint64_t{1} << (format.mantissa_bits - 1);
  }
  if (place(x) == place(y)) return y;
  const int64_t next = place(x) + (place(x) < place(y) ? 1 : -1);
  const bool negative = next < 0 || (next == 0 && (x & format.sign()) != 0);
  return static_cast<uint64_t>(std::abs(next)) | (negative ? format.sign() : 0);
}

// Bits that a wide format has and a narrow one has not are rounded away; the
// last bit is even where it is 0, be it the exponent's.
uint64_t ReducePrecision(const FloatFormat& format, uint64_t x,
                         const ReducePrecisionAttribute& reduce) {
  const uint64_t sign = x & format.sign();
  uint64_t size = x ^ sign;
  const int exponent_bits =
      std::min(reduce.exponent_bits, format.exponent_bits);
  const int dropped = format.mantissa_bits -
                      std::min(reduce.mantissa_bits, format.mantissa_bits);
  if (size > format.infinity()) {
    return reduce.mantissa_bits == 0
               ? format.infinity()
               : format.infinity() | uint64_t{1} << (format.mantissa_bits - 1);
  }
  const uint64_t unit = uint64_t{1} << dropped;
  const uint64_t rest = size % unit;
  size -= rest;
  if (2 * rest > unit || (2 * rest == unit && size / unit % 2 != 0)) {
    size += unit;
  }
  if (exponent_bits < format.exponent_bits) {
    const int exponent =
        static_cast<int>(size >> format.mantissa_bits) - format.bias();
    const int greatest = (1 << (exponent_bits - 1)) - 1;
    if (exponent > greatest) size = format.infinity();
    if (exponent < 1 - greatest) size = 0;
  }
  return sign | size;
}

// True if the operation moves bits only; then it is done.
bool ComputeBits(Opcode opcode, DType type, const Attribute& attribute,
                 const std::byte* const* operands, std::byte* result) {
  const DType real = RealType(type);
  const size_t bytes = static_cast<size_t>(ElementBytes(type));
  const size_t real_bytes = static_cast<size_t>(ElementBytes(real));
  const FloatFormat format = FormatOf(real);
  switch (opcode) {
    case Opcode::kIdentity:
      std::memcpy(result, operands[0], bytes);
      return true;
    case Opcode::kSelect:
      std::memcpy(result, operands[*operands[0] != std::byte{0} ? 1 : 2],
                  bytes);
      return true;
    case Opcode::kComplex:
      std::memcpy(result, operands[0], bytes);
      std::memcpy(result + bytes, operands[1], bytes);
      return true;
    case Opcode::kReal:
      std::memcpy(result, operands[0], real_bytes);
      return true;
    case Opcode::kImag:
      std::memset(result, 0, real_bytes);
      if (IsComplex(type)) {
        std::memcpy(result, operands[0] + real_bytes, real_bytes);
      }
      return true;
    case Opcode::kConj:
      std::memcpy(result, operands[0], bytes);
      result[bytes - 1] ^= std::byte{0x80};
      return true;
    default:
      break;
  }
  if (!IsFloat(type)) return false;
  const uint64_t x = LoadBits(type, operands[0]);
  const uint64_t sign = format.sign();
  switch (opcode) {
    case Opcode::kAbs:
      StoreBits(type, x & ~sign, result);
      return true;
    case Opcode::kNegate:
      StoreBits(type, x ^ sign, result);
      return true;
    case Opcode::kCopysign:
      StoreBits(type, (x & ~sign) | (LoadBits(type, operands[1]) & sign),
                result);
      return true;
    case Opcode::kNextafter:
      StoreBits(type, NextAfter(format, x, LoadBits(type, operands[1])),
                result);
      return true;
    case Opcode::kReducePrecision:
      StoreBits(type,
                ReducePrecision(format, x,
                                std::get<ReducePrecisionAttribute>(attribute)),
                result);
      return true;
    default:
      return false;
  }
}

void ComputeFloat(Opcode opcode, DType type, const Attribute& attribute,
                  const std::byte* const* operands, std::byte* result) {
  double x[3];
  float x_f32[3];
  for (int k = 0; k < ArityOf(opcode); ++k) {
    x[k] = ToDouble(type, operands[k]);
    x_f32[k] = static_cast<float>(x[k]);
  }
  const double value =
      type == DType::kF64
          ? FloatOperation(opcode, attribute, x)
          : static_cast<double>(FloatOperation(opcode, attribute, x_f32));
  if (ReferenceResultType(opcode, type, attribute) == DType::kPred) {
    *result = std::byte{value != 0};
  } else {
    StoreDouble(type, value, result);
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
  StoreBits(ReferenceResultType(opcode, type, {}),
            static_cast<uint64_t>(IntegerOperation(opcode, type, x)), result);
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

template <class T>
void QuantizeIn(DType type, DType to, const std::byte* const* operands,
                std::byte* result) {
  const T x = static_cast<T>(ToDouble(type, operands[0]));
  const T scale = static_cast<T>(ToDouble(type, operands[1]));
  const T whole = std::nearbyint(x / scale);
  int128 sum = LoadInteger(to, operands[2]);
  if (std::fabs(whole) < T{0x1p60}) {
    sum += static_cast<int64_t>(whole);
  } else if (!std::isnan(whole)) {
    sum += whole < 0 ? -(int128{1} << 60) : int128{1} << 60;
  }
  sum = std::clamp(sum, LeastOf(to), GreatestOf(to));
  StoreBits(to, static_cast<uint64_t>(sum), result);
}

template <class T>
void DequantizeIn(DType type, DType to, const std::byte* const* operands,
                  std::byte* result) {
  const int128 difference =
      LoadInteger(type, operands[0]) - LoadInteger(type, operands[2]);
  const T product = static_cast<T>(static_cast<int64_t>(difference)) *
                    static_cast<T>(ToDouble(to, operands[1]));
  StoreDouble(to, static_cast<double>(product), result);
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
  if (ComputeBits(opcode, type, attribute, operands, result)) return;
  switch (opcode) {
    case Opcode::kQuantize: {
      const DType to = std::get<QuantizeAttribute>(attribute).type;
      if (type == DType::kF64)
        return QuantizeIn<double>(type, to, operands, result);
      return QuantizeIn<float>(type, to, operands, result);
    }
    case Opcode::kDequantize: {
      const DType to = std::get<QuantizeAttribute>(attribute).type;
      if (to == DType::kF64)
        return DequantizeIn<double>(type, to, operands, result);
      return DequantizeIn<float>(type, to, operands, result);
    }
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
    ComputeFloat(opcode, type, attribute, operands, result);
  } else {
    ComputeInteger(opcode, type, operands, result);
  }
}

DType ReferenceResultType(Opcode opcode, DType type,
                          const Attribute& attribute) {
  switch (OperationOf(opcode).result_type) {
    case ResultType::kPred:
      return DType::kPred;
    case ResultType::kReal:
      return RealType(type);
    case ResultType::kComplex:
      return *ComplexType(type);
    case ResultType::kStated:
      break;
    case ResultType::kSame:
      return type;
  }
  if (const auto* quantize = std::get_if<QuantizeAttribute>(&attribute)) {
    return quantize->type;
  }
  return std::get<ConvertAttribute>(attribute).type;
}

}  // namespace stridecast::kernel_tests
