// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Small passes without tiles: one block, whose operands are read where they lie
// and whose results are computed where they belong.
// Tested by tests/unit/exec/single_block_test.cc.

#ifndef STRIDECAST_CORE_EXEC_SINGLE_BLOCK_H_
#define STRIDECAST_CORE_EXEC_SINGLE_BLOCK_H_

#include <cstddef>

#include "core/exec/tile_runner.h"
#include "core/plan/pass_plan.h"

namespace stridecast {

// True if the pass is one block, or a single computation that may as well be
// one, and only computes: nothing is packed, copied or filled.
bool IsSingleBlock(const PassPlan& plan);

// Runs all of such a pass; every leaf is one piece.
void RunSingleBlock(const BoundPass& pass, std::byte* scratch);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_SINGLE_BLOCK_H_
