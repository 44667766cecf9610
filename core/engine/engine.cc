// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/engine/engine.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/engine/plan_impl.h"
#include "core/exec/cpus.h"
#include "core/exec/executor.h"
#include "core/exec/fp_environment.h"
#include "core/kernels/cpu.h"
#include "core/kernels/kernel.h"
#include "core/plan/cache_limits.h"
#include "core/program/program.h"
#include "core/tensor/checked_math.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

absl::StatusOr<const KernelTable*> ChooseKernels(absl::string_view target) {
  const absl::Span<const KernelTable* const> tables = KernelTables();
  if (tables.empty()) {
    return absl::FailedPreconditionError(
        "this CPU lacks what stridecast needs at least: AVX2, FMA, BMI, BMI2, "
        "F16C, AES and PCLMUL");
  }
  if (target.empty()) return tables[0];
  std::vector<absl::string_view> names;
  for (const KernelTable* table : tables) {
    if (table->target() == target) return table;
    names.push_back(table->target());
  }
  return FieldError(
      "simd_target", "\"", target,
      "\" is none that this CPU has: ", absl::StrJoin(names, ", "));
}

absl::Status CheckResultBytes(const Program& program, int64_t limit) {
  CheckedInt64 total_bytes(0);
  for (size_t i = 0; i < program.results().size(); ++i) {
    const TensorDesc& desc = program.results()[i];
    const std::optional<int64_t> sum =
        total_bytes.Add(desc.size_bytes()).value();
    if (!sum || *sum > limit) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "results[", i, "]: ", ShapeToString(desc.type(), desc.shape()),
          " needs ", desc.size_bytes(), " bytes",
          i == 0 || !sum
              ? ""
              : absl::StrCat(", ", *sum, " with the results before it"),
          "; the limit is ", limit, " for all results of a call"));
    }
  }
  return absl::OkStatus();
}

// Called once: in a guest each question to the CPU takes microseconds.
CacheLimits LimitsOf(const EngineOptions& options, int num_threads) {
  if (options.cache_bytes > 0) {
    return {options.cache_bytes, options.cache_bytes, options.cache_bytes,
            true};
  }
  return CacheLimitsOf(
      {.shared_bytes = SharedCacheBytes(num_threads),
       .second_level_bytes = SecondLevelCacheBytes() * num_threads,
       .stores_past_pay = StoresPastCachesPay(),
       .moves_past_pay = MovesPastSharedCachePay()});
}

class EngineImpl final : public Engine {
 public:
  EngineImpl(const EngineOptions& options, const KernelTable& kernels)
      : options_(options),
        kernels_(kernels),
        executor_(options.num_threads > 0 ? options.num_threads : UsableCpus()),
        cache_limits_(LimitsOf(options, executor_.num_threads())) {}

  absl::StatusOr<std::shared_ptr<const Plan>> Prepare(
      const Signature& signature, Delivery delivery) const override {
    // Scalars are rounded to the types of their operations.
    const ScopedFpEnvironment environment;
    const EngineLimits& limits = options_.limits;
    ASSIGN_OR_RETURN(
        Program program,
        Program::Create(
            signature,
            {limits.max_instructions, limits.max_operands, limits.max_results,
             limits.max_operand_references, limits.max_constant_bytes}));
    RETURN_IF_ERROR(CheckBuilt(program));
    const absl::Status fits =
        CheckResultBytes(program, limits.max_result_bytes);
    if (delivery == Delivery::kWhole) RETURN_IF_ERROR(fits);
    auto plan = std::make_shared<const PlanImpl>(
        std::move(program),
        PassPlanOptions{.block_bytes = options_.block_bytes,
                        .tile_cost_ns = options_.tile_cost_ns,
                        .l1_bytes = l1_bytes_,
                        .cache = cache_limits_,
                        .in_parts = !fits.ok()},
        executor_, kernels_);
    if (plan->num_outer_steps() == 1) RETURN_IF_ERROR(fits);
    if (plan->scratch_bytes() > limits.max_scratch_bytes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "instructions: the program needs ", plan->scratch_bytes(),
          " bytes for intermediate values; the limit is ",
          limits.max_scratch_bytes));
    }
    if (plan->cost_ns() > limits.max_cost_ns) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "instructions: the program is estimated at ",
          absl::StrFormat("%.0f ns of one core; the limit is %.0f ns",
                          plan->cost_ns(), limits.max_cost_ns)));
    }
    return plan;
  }

  bool Supports(Opcode opcode, DType type) const override {
    const Operation& operation = OperationOf(opcode);
    if (!operation.IsDefinedOn(type)) return false;
    switch (operation.form) {
      case Form::kBroadcastInDim:
      case Form::kTranspose:
      case Form::kReverse:
      case Form::kSlice:
      case Form::kReshape:
      case Form::kConcatenate:
      case Form::kPad:
      case Form::kIota:
      case Form::kBitcastConvert:
      case Form::kConstant:
        return true;
      case Form::kConvert:
        return IsBuilt(opcode, type, ConvertAttribute{type});
      case Form::kQuantize:
        return IsBuilt(opcode, type, QuantizeAttribute{DType::kS8, {}});
      case Form::kDequantize:
        return IsBuilt(opcode, type, QuantizeAttribute{DType::kF32, {}});
      case Form::kCompare:
        return IsBuilt(opcode, type,
                       CompareAttribute{CompareAttribute::Direction::kEq});
      default:
        return IsBuilt(opcode, type, std::monostate());
    }
  }

  absl::string_view simd_target() const override { return kernels_.target(); }
  int num_threads() const override { return executor_.num_threads(); }
  const EngineLimits& limits() const override { return options_.limits; }
  void Enqueue(std::function<void()> task) override {
    executor_.Enqueue(std::move(task));
  }

 private:
  // Identity is a view: no pass ever computes it.
  bool IsBuilt(Opcode opcode, DType type, const Attribute& attribute) const {
    return opcode == Opcode::kIdentity ||
           kernels_.Find(opcode, type, attribute) != nullptr;
  }

  absl::Status CheckBuilt(const Program& program) const {
    for (int v = program.num_operands(); v < program.num_values(); ++v) {
      const Instruction& instruction = program.instruction(v);
      if (!IsElementwise(OperationOf(instruction.opcode).form)) continue;
      const DType type = program.inference(v).subject;
      if (!IsBuilt(instruction.opcode, type, instruction.attribute)) {
        return AtInstruction(v - program.num_operands(), instruction.opcode,
                             absl::UnimplementedError(absl::StrCat(
                                 ": not built yet for ", DTypeName(type))));
      }
    }
    return absl::OkStatus();
  }

  const EngineOptions options_;
  const int64_t l1_bytes_ = FirstLevelCacheBytes();
  const KernelTable& kernels_;
  Executor executor_;
  const CacheLimits cache_limits_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(
    const EngineOptions& options) {
  ASSIGN_OR_RETURN(const KernelTable* const kernels,
                   ChooseKernels(options.simd_target));
  return std::make_unique<EngineImpl>(options, *kernels);
}

}  // namespace stridecast
