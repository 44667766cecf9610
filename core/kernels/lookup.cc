// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Joins the parts of each target to one table, at its first use.

#include <bit>
#include <vector>

#include "core/kernels/cpu.h"
#include "core/kernels/kernel.h"
#include "core/kernels/parts.h"

namespace stridecast {
namespace {

// Opcodes that compute element by element are below this (operations.inc).
constexpr int kOpcodeTableSize = 200;

class Table final : public KernelTable {
 public:
  Table(SimdTarget target, absl::string_view name)
      : name_(name),
        compare_(ComparePart(target)),
        convert_(ConvertPartOf(target)),
        chain_(ChainPartOf(target)),
        copy_(CopyPartOf(target)),
        quantize_(QuantizePartOf(target)),
        strips_(StripsPartOf(target)),
        boxes_(BoxesPartOf(target)) {
    for (const auto part : {ActivationsPart,
                            ArithmeticPart,
                            BitsPart,
                            ClosenessPart,
                            ComplexFunctionsPart,
                            ComplexPart,
                            DividePart,
                            ErrorFunctionsPart,
                            ExponentialPart,
                            FmaPart,
                            IntegersPart,
                            LogarithmsPart,
                            MinMaxPart,
                            PowersPart,
                            RemainderPart,
                            RoundingPart,
                            SelectPart,
                            SmoothActivationsPart,
                            TrigonometricPart,
                            UnaryPart}) {
      AddRows(part(target));
    }
  }

  absl::string_view target() const override { return name_; }

  Kernel Find(Opcode opcode, DType type,
              const Attribute& attribute) const override {
    if (!IsDType(static_cast<int>(type))) return nullptr;
    switch (opcode) {
      case Opcode::kCompare:
        return FindCompare(type, attribute);
      case Opcode::kConvert:
        return FindConvert(type, attribute);
      case Opcode::kQuantize:
      case Opcode::kDequantize:
        return FindQuantize(opcode, type, attribute);
      default:
        break;
    }
    const int row = static_cast<int>(opcode);
    if (row < 0 || row >= kOpcodeTableSize) return nullptr;
    return kernels_[row][static_cast<int>(type)];
  }

  CopyKernel Copy(int64_t element_bytes) const override {
    return BySize(copy_.by_log2_bytes, element_bytes);
  }

  CopyKernel CopyFromMemory(int64_t element_bytes) const override {
    return BySize(copy_.from_memory_by_log2_bytes, element_bytes);
  }

  CopyKernel CopyPastCache(int64_t element_bytes) const override {
    return BySize(copy_.past_cache_by_log2_bytes, element_bytes);
  }

  ChainKernel Chain(DType type) const override {
    return type == DType::kF64 ? chain_.f64 : chain_.f32;
  }

  StripKernel Strip(int64_t element_bytes) const override {
    return BySize(strips_.by_log2_bytes, element_bytes);
  }

  BoxKernel Box(int64_t element_bytes) const override {
    return BySize(boxes_.by_log2_bytes, element_bytes);
  }

  RunsKernel Runs() const override { return boxes_.runs; }

  PredKernel Pred() const override { return copy_.pred; }

 private:
  // Of kernels for elements of 1, 2, 4, ... bytes; null for other sizes.
  template <typename F, size_t kCount>
  static F BySize(F const (&by_log2_bytes)[kCount], int64_t element_bytes) {
    const auto bytes = static_cast<uint64_t>(element_bytes);
    if (!std::has_single_bit(bytes)) return nullptr;
    const auto log2_bytes = static_cast<size_t>(std::countr_zero(bytes));
    return log2_bytes < kCount ? by_log2_bytes[log2_bytes] : nullptr;
  }

  void AddRows(absl::Span<const KernelRow> rows) {
    for (const KernelRow& row : rows) {
      Kernel* kernels = kernels_[static_cast<int>(row.opcode)];
      for (int type = 0; type < kDTypeTableSize; ++type) {
        if (row.by_type[type] != nullptr) kernels[type] = row.by_type[type];
      }
    }
  }

  Kernel FindCompare(DType type, const Attribute& attribute) const {
    const auto* compare = std::get_if<CompareAttribute>(&attribute);
    if (compare == nullptr) return nullptr;
    for (const CompareRow& row : compare_) {
      if (row.direction == compare->direction &&
          row.total_order == compare->total_order) {
        return row.by_type[static_cast<int>(type)];
      }
    }
    return nullptr;
  }

  Kernel FindConvert(DType type, const Attribute& attribute) const {
    const auto* convert = std::get_if<ConvertAttribute>(&attribute);
    if (convert == nullptr || !IsDType(static_cast<int>(convert->type))) {
      return nullptr;
    }
    const bool saturates = convert->overflow == Overflow::kUnspecified
                               ? !IsInteger(type) && ClassOf(type) != kPredClass
                               : convert->overflow == Overflow::kSaturate;
    return convert_.by_types[saturates ? 1 : 0][static_cast<int>(type)]
                            [static_cast<int>(convert->type)];
  }

  Kernel FindQuantize(Opcode opcode, DType type,
                      const Attribute& attribute) const {
    const auto* quantize = std::get_if<QuantizeAttribute>(&attribute);
    if (quantize == nullptr || !IsDType(static_cast<int>(quantize->type))) {
      return nullptr;
    }
    const int from = static_cast<int>(type);
    const int to = static_cast<int>(quantize->type);
    return opcode == Opcode::kQuantize ? quantize_.quantize[from][to]
                                       : quantize_.dequantize[to][from];
  }

  absl::string_view name_;
  Kernel kernels_[kOpcodeTableSize][kDTypeTableSize] = {};
  absl::Span<const CompareRow> compare_;
  const ConvertPart& convert_;
  const ChainPart& chain_;
  const CopyPart& copy_;
  const QuantizePart& quantize_;
  const StripPart& strips_;
  const BoxPart& boxes_;
};

std::vector<const KernelTable*> MakeTables() {
  std::vector<const KernelTable*> tables;
  if (!CpuRuns(SimdTarget::kAvx2)) return tables;
  if (CpuRuns(SimdTarget::kAvx3)) {
    tables.push_back(new Table(SimdTarget::kAvx3, "AVX3"));
  }
  tables.push_back(new Table(SimdTarget::kAvx2, "AVX2"));
  return tables;
}

}  // namespace

absl::Span<const KernelTable* const> KernelTables() {
  // Never destroyed: threads may compute until the process ends.
  static const auto* const tables =
      new std::vector<const KernelTable*>(MakeTables());
  return *tables;
}

}  // namespace stridecast
