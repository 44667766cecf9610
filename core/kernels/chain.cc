// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Several operations on f32 or f64, one after the other on the vectors of a
// group: what stands between them stays in registers.

#include <cstring>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/chain.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/minmax-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

template <DType kType>
class Chain {
 public:
  static void Run(int64_t rows, int64_t cols, const ChainLink* links,
                  int num_links, int num_operands, const BlockOperand* operands,
                  BlockResult result) {
    Chain(links, num_links, num_operands).RunRows(rows, cols, operands, result);
  }

 private:
  using Lanes = Values<kType>;
  using D = hn::ScalableTag<typename Lanes::Lane>;
  using V = hn::Vec<D>;
  static constexpr int64_t kBytes = Lanes::kElementBytes;
  static constexpr int64_t kUnit = hn::MaxLanes(D());
  // Vectors that go through the chain together, so that one's latency is spent
  // on the others.
  static constexpr int64_t kGroup = 8;

  // Where a unit of an operand is read.
  struct Stream {
    const std::byte* at;
    int64_t unit_step;  // 0 where one element repeats
  };

  Chain(const ChainLink* links, int num_links, int num_operands)
      : links_(links), num_links_(num_links), num_operands_(num_operands) {}

  void RunRows(int64_t rows, int64_t cols, const BlockOperand* operands,
               BlockResult result) {
    bool joins = result.row_stride == cols * kBytes;
    for (int k = 0; k < num_operands_; ++k) {
      joins = joins && operands[k].row_stride == cols * operands[k].col_stride;
    }
    if (joins) {
      cols *= rows;
      rows = 1;
    }
    for (int64_t row = 0; row < rows; ++row) {
      StartRow(row, cols, operands);
      if (cols < kUnit) {
        RunShort(cols, result.data);
      } else {
        RunRow(cols, result.data);
      }
      result.data += result.row_stride;
    }
  }

  void StartRow(int64_t row, int64_t cols, const BlockOperand* operands) {
    for (int k = 0; k < num_operands_; ++k) {
      const BlockOperand& operand = operands[k];
      const std::byte* data = operand.data + row * operand.row_stride;
      if (operand.col_stride == 0) {
        RepeatUnit<kBytes, kUnit>(units_[k], data);
        streams_[k] = {units_[k], 0};
      } else if (cols < kUnit) {
        std::memset(units_[k], 0, sizeof(units_[k]));
        CopyUnitPart(units_[k], data, static_cast<size_t>(cols * kBytes));
        streams_[k] = {units_[k], 0};
      } else {
        streams_[k] = {data, kUnit * kBytes};
      }
    }
  }

  void RunShort(int64_t cols, std::byte* result) {
    HWY_ALIGN std::byte unit[kUnit * kBytes];
    RunGroup<1>(unit);
    CopyUnitPart(result, unit, static_cast<size_t>(cols * kBytes));
  }

  void RunRow(int64_t cols, std::byte* result) {
    int64_t left = cols;
    for (; left >= kGroup * kUnit; left -= kGroup * kUnit) {
      RunGroup<kGroup>(result);
      Advance(kGroup * kUnit);
      result += kGroup * kUnit * kBytes;
    }
    for (; left >= kUnit; left -= kUnit) {
      RunGroup<1>(result);
      Advance(kUnit);
      result += kUnit * kBytes;
    }
    if (left == 0) return;
    // The last unit overlaps the one before it.
    Advance(left - kUnit);
    RunGroup<1>(result + (left - kUnit) * kBytes);
  }

  void Advance(int64_t elements) {
    for (int k = 0; k < num_operands_; ++k) {
      streams_[k].at += streams_[k].unit_step / kUnit * elements;
    }
  }

  template <int64_t kCount>
  HWY_INLINE void RunGroup(std::byte* result) const {
    const D d;
    V values[kCount];
    for (int64_t i = 0; i < kCount; ++i) values[i] = Load(0, i);
    for (int s = 0; s < num_links_; ++s) {
      const ChainLink& link = links_[s];
      switch (link.operation) {
        case ChainOperation::kAdd:
          Step<kCount>(values, link.operand,
                       [](V a, V b) HWY_ATTR { return hn::Add(a, b); });
          break;
        case ChainOperation::kSubtract:
          Step<kCount>(values, link.operand,
                       [](V a, V b) HWY_ATTR { return hn::Sub(a, b); });
          break;
        case ChainOperation::kSubtractFrom:
          Step<kCount>(values, link.operand,
                       [](V a, V b) HWY_ATTR { return hn::Sub(b, a); });
          break;
        case ChainOperation::kMultiply:
          Step<kCount>(values, link.operand,
                       [](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
          break;
        case ChainOperation::kDivide:
          Step<kCount>(values, link.operand,
                       [](V a, V b) HWY_ATTR { return hn::Div(a, b); });
          break;
        case ChainOperation::kDivideInto:
          Step<kCount>(values, link.operand,
                       [](V a, V b) HWY_ATTR { return hn::Div(b, a); });
          break;
        case ChainOperation::kMaximum:
          Step<kCount>(values, link.operand,
                       [](V a, V b) HWY_ATTR { return Greatest()(D(), a, b); });
          break;
        case ChainOperation::kMinimum:
          Step<kCount>(values, link.operand,
                       [](V a, V b) HWY_ATTR { return Least()(D(), a, b); });
          break;
        case ChainOperation::kSqrt:
          for (int64_t i = 0; i < kCount; ++i) values[i] = hn::Sqrt(values[i]);
          break;
      }
    }
    for (int64_t i = 0; i < kCount; ++i) {
      Lanes::Store(d, values[i], result + i * kUnit * kBytes);
    }
  }

  HWY_INLINE V Load(int operand, int64_t i) const {
    const Stream& stream = streams_[operand];
    return Lanes::Load(D(), stream.at + i * stream.unit_step);
  }

  template <int64_t kCount, class F>
  HWY_INLINE void Step(V* HWY_RESTRICT values, int operand, F f) const {
    for (int64_t i = 0; i < kCount; ++i) {
      values[i] = f(values[i], Load(operand, i));
    }
  }

  const ChainLink* const links_;
  const int num_links_;
  const int num_operands_;
  Stream streams_[kMaxChainOperands];
  HWY_ALIGN std::byte units_[kMaxChainOperands][kUnit * kBytes];
};

constexpr ChainPart MakePart() {
  return {&Chain<DType::kF32>::Run, &Chain<DType::kF64>::Run};
}

}  // namespace

#define STRIDECAST_PART ChainPart
#define STRIDECAST_PART_OF ChainPartOf
#include "core/kernels/table-inl.h"
