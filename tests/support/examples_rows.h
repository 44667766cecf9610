// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Short ways to write an example of one element-wise instruction on vectors;
// private to examples_*.cc.

#ifndef STRIDECAST_TESTS_SUPPORT_EXAMPLES_ROWS_H_
#define STRIDECAST_TESTS_SUPPORT_EXAMPLES_ROWS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tests/support/builders.h"
#include "tests/support/examples.h"

namespace stridecast::testing {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr int64_t kMin8 = std::numeric_limits<int8_t>::min();
inline constexpr int64_t kMin16 = std::numeric_limits<int16_t>::min();
inline constexpr int64_t kMin32 = std::numeric_limits<int32_t>::min();
inline constexpr int64_t kMax32 = std::numeric_limits<int32_t>::max();
inline constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
inline constexpr uint64_t kMaxU64 = std::numeric_limits<uint64_t>::max();
inline constexpr double kMaxF32 = std::numeric_limits<float>::max();
inline constexpr double kLeastF32 = std::numeric_limits<float>::denorm_min();
inline constexpr double kMaxF64 = std::numeric_limits<double>::max();
inline constexpr double kLeastF64 = std::numeric_limits<double>::denorm_min();

// Rounds to the nearest f32, as the literals of a caller's f32 are.
inline double F32(double value) { return static_cast<float>(value); }

inline DimVector VectorShape(DType type, const Numbers& numbers) {
  return {static_cast<int64_t>(numbers.size()) / (IsComplex(type) ? 2 : 1)};
}

inline Example Unary(std::string name, const Instruction& instruction,
                     DType type, Numbers x, Numbers result) {
  const DimVector shape = VectorShape(type, x);
  return {std::move(name),
          Program({Desc(type, shape)}, {instruction}),
          {std::move(x)},
          {std::move(result)}};
}

inline Example Unary(std::string name, Opcode opcode, DType type, Numbers x,
                     Numbers result) {
  return Unary(std::move(name), Op(opcode, {0}), type, std::move(x),
               std::move(result));
}

inline Example Binary(std::string name, const Instruction& instruction,
                      DType type, Numbers x, Numbers y, Numbers result) {
  const DimVector shape = VectorShape(type, x);
  return {std::move(name),
          Program({Desc(type, shape), Desc(type, shape)}, {instruction}),
          {std::move(x), std::move(y)},
          {std::move(result)}};
}

inline Example Binary(std::string name, Opcode opcode, DType type, Numbers x,
                      Numbers y, Numbers result) {
  return Binary(std::move(name), BinaryOp(opcode, 0, 1), type, std::move(x),
                std::move(y), std::move(result));
}

inline Example Compare(std::string name, CompareAttribute::Direction direction,
                       bool total_order, DType type, Numbers x, Numbers y,
                       Numbers result) {
  return Binary(std::move(name),
                BinaryOp(Opcode::kCompare, 0, 1, {},
                         CompareAttribute{direction, total_order}),
                type, std::move(x), std::move(y), std::move(result));
}

inline constexpr DType kFloatTypes[] = {DType::kF16, DType::kBF16, DType::kF32,
                                        DType::kF64};
inline constexpr DType kSignedTypes[] = {DType::kS8, DType::kS16, DType::kS32,
                                         DType::kS64};
inline constexpr DType kUnsignedTypes[] = {DType::kU8, DType::kU16, DType::kU32,
                                           DType::kU64};

// The same row for each of `types`, named "FloorModF16".
template <size_t n>
void AddForTypes(const DType (&types)[n], const std::string& name,
                 const Instruction& instruction, const Numbers& x,
                 const Numbers& result, std::vector<Example>& rows) {
  for (DType type : types) {
    rows.push_back(
        Unary(absl::StrCat(name, absl::AsciiStrToUpper(DTypeName(type))),
              instruction, type, x, result));
  }
}
template <size_t n>
void AddForTypes(const DType (&types)[n], const std::string& name,
                 const Instruction& instruction, const Numbers& x,
                 const Numbers& y, const Numbers& result,
                 std::vector<Example>& rows) {
  for (DType type : types) {
    rows.push_back(
        Binary(absl::StrCat(name, absl::AsciiStrToUpper(DTypeName(type))),
               instruction, type, x, y, result));
  }
}

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_EXAMPLES_ROWS_H_
