// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's arithmetic on one element, SEMANTICS.md 4: complex numbers,
// conversions, operations of three operands; the rest in reference_numbers.h.

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/support/exact_functions.h"
#include "tests/support/reference.h"
#include "tests/support/reference_numbers.h"
#include "tests/support/ulp_bound.h"

namespace stridecast::testing {
namespace {

Element ComplexMultiply(DType part, Element x, Element y) {
  return {Subtract(part, Multiply(part, x.bits, y.bits),
                   Multiply(part, x.imag_bits, y.imag_bits)),
          Add(part, Multiply(part, x.bits, y.imag_bits),
              Multiply(part, x.imag_bits, y.bits))};
}

// Smith's division, without special cases.
Element ComplexDivide(DType part, Element x, Element y) {
  const uint64_t a = x.bits, b = x.imag_bits, c = y.bits, d = y.imag_bits;
  const auto mul = [&](uint64_t p, uint64_t q) { return Multiply(part, p, q); };
  const auto add = [&](uint64_t p, uint64_t q) { return Add(part, p, q); };
  const auto sub = [&](uint64_t p, uint64_t q) { return Subtract(part, p, q); };
  const auto div = [&](uint64_t p, uint64_t q) { return Divide(part, p, q); };
  const bool real_is_greater =
      part == DType::kF64
          ? std::abs(DoubleOf(c)) >= std::abs(DoubleOf(d))
          : std::abs(FloatOf(part, c)) >= std::abs(FloatOf(part, d));
  if (real_is_greater) {
    const uint64_t r = div(d, c);
    const uint64_t t = add(c, mul(d, r));
    return {div(add(a, mul(b, r)), t), div(sub(b, mul(a, r)), t)};
  }
  const uint64_t r = div(c, d);
  const uint64_t t = add(mul(c, r), d);
  return {div(add(mul(a, r), b), t), div(sub(mul(b, r), a), t)};
}

uint64_t FusedMultiplyAdd(DType type, uint64_t x, uint64_t y, uint64_t z) {
  return OnFloats(
      type, [](auto a, auto b, auto c) { return std::fma(a, b, c); }, x, y, z);
}

Element Quantize(const Instruction& instruction, DType type, uint64_t x,
                 uint64_t scale, uint64_t zero_point) {
  const DType to = std::get<QuantizeAttribute>(instruction.attribute).type;
  const auto quantize = [&](auto a, auto s) {
    using T = decltype(a);
    const T quotient = std::nearbyint(a / s);
    // Further out than any type and zero point reach.
    const T bounded = std::clamp(quotient, T{-0x1p40}, T{0x1p40});
    const Int nearest = std::isnan(quotient) ? 0 : static_cast<Int>(bounded);
    const Int sum = nearest + IntegerOf(to, zero_point);
    const auto magnitude = static_cast<uint64_t>(sum < 0 ? -sum : sum);
    return TruncateToInteger(
        to, {ExactNumber::Kind::kFinite, sum < 0, magnitude, 0},
        /*saturate=*/true);
  };
  if (type == DType::kF64) return {quantize(DoubleOf(x), DoubleOf(scale)), 0};
  return {quantize(FloatOf(type, x), FloatOf(type, scale)), 0};
}

Element Dequantize(const Instruction& instruction, DType type, uint64_t q,
                   uint64_t scale, uint64_t zero_point) {
  const DType to = std::get<QuantizeAttribute>(instruction.attribute).type;
  const auto difference =
      static_cast<int64_t>(IntegerOf(type, q) - IntegerOf(type, zero_point));
  return {
      OnFloats(
          to, [&](auto s) { return static_cast<decltype(s)>(difference) * s; },
          scale),
      0};
}

Element OfOne(const Instruction& instruction, DType type, Element x) {
  const DType part = RealType(type);
  switch (instruction.opcode) {
    case Opcode::kConvert: {
      const auto& convert = std::get<ConvertAttribute>(instruction.attribute);
      return ConvertElement(type, convert.type, convert.overflow, x);
    }
    case Opcode::kReal:
      return {x.bits, 0};
    case Opcode::kImag:
      return {x.imag_bits, 0};
    case Opcode::kConj:
      return {x.bits, Negate(part, x.imag_bits)};
    default:
      break;
  }
  if (!IsComplex(type)) return {Unary(instruction, type, x.bits), 0};
  if (instruction.opcode == Opcode::kIdentity) return x;
  return {Negate(part, x.bits), Negate(part, x.imag_bits)};
}

Element OfTwo(const Instruction& instruction, DType type, Element x,
              Element y) {
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::kCompare) {
    const auto& compare = std::get<CompareAttribute>(instruction.attribute);
    return {Compare(compare, type, x, y), 0};
  }
  if (opcode == Opcode::kIsClose) {
    return {IsClose(instruction, type, x.bits, y.bits), 0};
  }
  if (opcode == Opcode::kComplex) return {x.bits, y.bits};
  if (!IsComplex(type)) return {Arithmetic(opcode, type, x.bits, y.bits), 0};
  const DType part = RealType(type);
  switch (opcode) {
    case Opcode::kMultiply:
      return ComplexMultiply(part, x, y);
    case Opcode::kDivide:
      return ComplexDivide(part, x, y);
    default:  // kAdd, kSubtract
      return {Arithmetic(opcode, part, x.bits, y.bits),
              Arithmetic(opcode, part, x.imag_bits, y.imag_bits)};
  }
}

Element OfThree(const Instruction& instruction, DType type, Element x,
                Element y, Element z) {
  switch (instruction.opcode) {
    case Opcode::kSelect:
      return x.bits != 0 ? y : z;
    case Opcode::kFma:
      return {FusedMultiplyAdd(type, x.bits, y.bits, z.bits), 0};
    case Opcode::kQuantize:
      return Quantize(instruction, type, x.bits, y.bits, z.bits);
    case Opcode::kDequantize:
      return Dequantize(instruction, type, x.bits, y.bits, z.bits);
    default:  // kClamp
      return {Minimum(type, Maximum(type, y.bits, x.bits), z.bits), 0};
  }
}

// What MPFR says, rounded once.
Element OfInexact(const Instruction& instruction, DType type, Element x,
                  Element y) {
  const DType part = RealType(type);
  if (!IsComplex(type)) {
    return {Rounded(type, ExactValue(instruction, type, x.bits, y.bits)), 0};
  }
  if (instruction.opcode == Opcode::kAbs) {
    const Instruction hypot{Opcode::kHypot, {}, {}, {}};
    return {Rounded(part, ExactValue(hypot, part, x.bits, x.imag_bits)), 0};
  }
  const ComplexReal value = ExactComplexValue(instruction.opcode, part, x);
  return {Rounded(part, value.real), Rounded(part, value.imag)};
}

}  // namespace

Element ReferenceElement(const Instruction& instruction, DType type,
                         absl::Span<const Element> operands) {
  const Element x = operands[0];
  const Element y = operands.size() > 1 ? operands[1] : Element();
  if (!IsExact(instruction.opcode, type)) {
    return OfInexact(instruction, type, x, y);
  }
  switch (operands.size()) {
    case 1:
      return OfOne(instruction, type, x);
    case 2:
      return OfTwo(instruction, type, x, y);
    default:
      return OfThree(instruction, type, x, y, operands[2]);
  }
}

}  // namespace stridecast::testing
