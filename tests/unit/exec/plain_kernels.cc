// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/exec/plain_kernels.h"

#include <algorithm>
#include <cstring>

#include "gtest/gtest.h"

namespace stridecast {
namespace {

template <typename T>
T Load(const BlockOperand& operand, int64_t row, int64_t col) {
  T value;
  std::memcpy(
      &value,
      operand.data + row * operand.row_stride + col * operand.col_stride,
      sizeof(T));
  return value;
}

template <int kArity, typename T, T (*kFunction)(const T*)>
void Run(int64_t rows, int64_t cols, const BlockOperand* operands,
         BlockResult result) {
  for (int k = 0; k < kArity; ++k) {
    EXPECT_TRUE(operands[k].col_stride == 0 ||
                operands[k].col_stride == static_cast<int64_t>(sizeof(T)));
  }
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t col = 0; col < cols; ++col) {
      T x[kArity];
      for (int k = 0; k < kArity; ++k) x[k] = Load<T>(operands[k], row, col);
      const T y = kFunction(x);
      std::memcpy(result.data + row * result.row_stride() +
                      col * static_cast<int64_t>(sizeof(T)),
                  &y, sizeof(T));
    }
  }
}

template <typename T>
T Negate(const T* x) {
  return static_cast<T>(T{0} - x[0]);
}
template <typename T>
T Add(const T* x) {
  return static_cast<T>(x[0] + x[1]);
}
template <typename T>
T Multiply(const T* x) {
  return static_cast<T>(uint64_t{x[0]} * x[1]);
}
template <typename T>
T Clamp(const T* x) {
  return std::min(std::max(x[1], x[0]), x[2]);
}

// What makes an iota of indices.
template <typename T>
void Index(int64_t rows, int64_t cols, const BlockOperand* operands,
           BlockResult result) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t col = 0; col < cols; ++col) {
      const T y = static_cast<T>(Load<int64_t>(operands[0], row, col));
      std::memcpy(result.data + row * result.row_stride() +
                      col * static_cast<int64_t>(sizeof(T)),
                  &y, sizeof(T));
    }
  }
}

// Of preds, which are 0 or 1.
uint8_t Not(const uint8_t* x) {
  EXPECT_LE(x[0], 1);
  return x[0] == 0;
}
uint8_t Or(const uint8_t* x) {
  EXPECT_LE(x[0] | x[1], 1);
  return x[0] | x[1];
}
uint8_t And(const uint8_t* x) {
  EXPECT_LE(x[0] | x[1], 1);
  return x[0] & x[1];
}
uint8_t Select(const uint8_t* x) {
  EXPECT_LE(x[0] | x[1] | x[2], 1);
  return x[0] != 0 ? x[1] : x[2];
}

template <typename T>
Kernel KernelOfUnsigned(Opcode opcode) {
  switch (opcode) {
    case Opcode::kNegate:
      return Run<1, T, Negate<T>>;
    case Opcode::kAdd:
      return Run<2, T, Add<T>>;
    case Opcode::kMultiply:
      return Run<2, T, Multiply<T>>;
    case Opcode::kIota:
      return Index<T>;
    default:
      return Run<3, T, Clamp<T>>;
  }
}

Kernel KernelOf(Opcode opcode, DType type) {
  switch (type) {
    case DType::kU8:
      return KernelOfUnsigned<uint8_t>(opcode);
    case DType::kU16:
      return KernelOfUnsigned<uint16_t>(opcode);
    case DType::kU32:
      return KernelOfUnsigned<uint32_t>(opcode);
    case DType::kU64:
      return KernelOfUnsigned<uint64_t>(opcode);
    default:
      return opcode == Opcode::kNot        ? Run<1, uint8_t, Not>
             : opcode == Opcode::kAdd      ? Run<2, uint8_t, Or>
             : opcode == Opcode::kMultiply ? Run<2, uint8_t, And>
                                           : Run<3, uint8_t, Select>;
  }
}

template <size_t kBytes>
void CopyOf(int64_t rows, int64_t cols, const std::byte* source,
            int64_t source_row_stride, int64_t source_col_stride,
            std::byte* destination, int64_t destination_row_stride,
            int64_t destination_col_stride) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t col = 0; col < cols; ++col) {
      std::memcpy(destination + row * destination_row_stride +
                      col * destination_col_stride,
                  source + row * source_row_stride + col * source_col_stride,
                  kBytes);
    }
  }
}

void ToPred(int64_t count, const std::byte* source, std::byte* destination) {
  for (int64_t i = 0; i < count; ++i) {
    destination[i] = static_cast<std::byte>(source[i] != std::byte{0});
  }
}

}  // namespace

Kernel PlainKernels::Find(Opcode opcode, DType type, const Attribute&) const {
  return KernelOf(opcode, type);
}

CopyKernel PlainKernels::Copy(int64_t element_bytes) const {
  switch (element_bytes) {
    case 1:
      return CopyOf<1>;
    case 2:
      return CopyOf<2>;
    case 4:
      return CopyOf<4>;
    case 8:
      return CopyOf<8>;
    default:
      return CopyOf<16>;
  }
}

PredKernel PlainKernels::Pred() const { return ToPred; }

}  // namespace stridecast
