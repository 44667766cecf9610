// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Plans for people.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/plan/pass_plan.h"

namespace stridecast {
namespace {

void AppendPlan(const StripPlan& strips, std::string& text) {
  absl::StrAppend(&text, "  as ", strips.outer.extent(), " matrices ",
                  strips.rows.extent(), " x ", strips.cols.extent(),
                  ", transposed by strips in tiles of ", strips.tile_matrices,
                  " x ", strips.tile_rows, " x ", strips.tile_cols, "\n");
}

void AppendPlan(const BoxPlan& boxes, std::string& text) {
  absl::StrAppend(&text, "  by boxes of");
  for (const BoxPlan::Dim& dim : boxes.dims) {
    absl::StrAppend(&text, " ", dim.box, "/", dim.extent);
  }
  absl::StrAppend(&text, ", ", boxes.num_runs, " runs of ", boxes.run_bytes,
                  " bytes, in tiles of");
  for (const BoxPlan::Dim& dim : boxes.dims) {
    absl::StrAppend(&text, " ", dim.tile);
  }
  absl::StrAppend(&text, boxes.past_cache ? ", past the caches\n"
                         : boxes.staged   ? ", staged\n"
                                          : "\n");
}

}  // namespace

std::string PassPlanToString(const PassPlan& plan, const Program& program) {
  if (plan.empty) return "  no elements; results are filled\n";
  std::string text = "  loops, outermost first:";
  for (size_t k = 0; k < plan.tiling.loops.size(); ++k) {
    absl::StrAppend(&text, " ", plan.tiling.loops[k].extent, " (block ",
                    plan.tiling.block_extents[k], ", tile ",
                    plan.tiling.tile_extents[k], ")");
  }
  absl::StrAppend(&text, plan.tiling.loops.empty() ? " none" : "",
                  plan.tiling.flat ? "; flat blocks\n" : "; rows x columns\n");
  if (plan.relayout) {
    std::visit([&text](const auto& relayout) { AppendPlan(relayout, text); },
               *plan.relayout);
  }
  for (size_t i = 0; i < plan.leaves.size(); ++i) {
    const LeafPlan& leaf = plan.leaves[i];
    const absl::string_view source =
        leaf.source == Source::kOperand    ? "operand "
        : leaf.source == Source::kConstant ? "constant %"
        : leaf.source == Source::kIota     ? "iota %"
                                           : "temporary ";
    absl::StrAppend(&text, "  leaf ", i, ": ", source, leaf.index, " ",
                    DTypeName(leaf.type), ", byte strides [",
                    absl::StrJoin(leaf.access.byte_strides, ","), "]",
                    leaf.access.repeated         ? ", repeated"
                    : leaf.access.in_place       ? ", in place"
                    : !leaf.tile_strides.empty() ? ", packed by tiles"
                    : leaf.packed_once           ? ", packed once per tile"
                                                 : ", packed",
                    "\n");
  }
  for (const ComputationPlan& computation : plan.computations) {
    const Instruction& instruction = program.instruction(computation.value);
    absl::StrAppend(&text, "  %", computation.value, " = ");
    if (!computation.chain.empty() &&
        computation.chain_types.first != computation.chain_types.working) {
      absl::StrAppend(&text, DTypeName(computation.chain_types.first), " to ",
                      DTypeName(computation.chain_types.working), ", ");
    }
    for (const ChainStep& step : computation.chain) {
      absl::StrAppend(&text, &step == computation.chain.data() ? "" : ", ",
                      OperationOf(step.opcode).label,
                      step.factor < 0 ? "" : " of a product");
    }
    absl::StrAppend(
        &text,
        computation.chain.empty() ? OperationOf(instruction.opcode).label : "",
        " ", DTypeName(program.value(computation.value).type), "\n");
  }
  for (const StorePlan& store : plan.stores) {
    absl::StrAppend(&text,
                    "  store: ", store.is_result ? "result " : "temporary ",
                    store.index, ", byte strides [",
                    absl::StrJoin(store.access.byte_strides, ","), "]",
                    store.access.in_place ? ", in place" : ", scattered",
                    store.is_part ? ", a part" : "",
                    store.gaps.empty() ? "" : ", gaps filled",
                    store.past_cache ? ", past the caches" : "", "\n");
  }
  return text;
}

}  // namespace stridecast
