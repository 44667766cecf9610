// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Which of the ways to cut the loops of a pass, tiling.h, is taken: in the
// order of which tensor, into how large blocks, from how long rows on, and
// whether what lies across is brought into order for whole tiles.
//
// Tested by tests/unit/plan/pass_cut_test.cc and pass_plan_test.cc.

#ifndef STRIDECAST_CORE_PLAN_PASS_CUT_H_
#define STRIDECAST_CORE_PLAN_PASS_CUT_H_

#include "absl/types/span.h"
#include "core/plan/buffer_view.h"
#include "core/plan/pass_plan.h"
#include "core/plan/tiling.h"
#include "core/program/normalize.h"
#include "core/program/program.h"

namespace stridecast {

struct PassCut {
  Tiling tiling;
  // Operands that lie across are packed for whole tiles.
  bool orders_tiles = false;
};

// Of a pass whose plan has its leaves, stores and computations; `views` are
// those of its tensors, leaves first.
PassCut CutPass(const Pass& pass, const Program& program,
                const PassPlanOptions& options, const PassPlan& plan,
                absl::Span<const BufferView> views, double cost_per_element_ns);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_PASS_CUT_H_
