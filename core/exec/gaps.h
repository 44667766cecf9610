// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Fills what lies between the elements of results.

#ifndef STRIDECAST_CORE_EXEC_GAPS_H_
#define STRIDECAST_CORE_EXEC_GAPS_H_

#include <cstddef>
#include <vector>

#include "core/exec/tile_runner.h"
#include "core/plan/pass_plan.h"

namespace stridecast {

// The gaps that the tile owns, but for those that are copied with rows. The gap
// after the element that the loops up to its position reach belongs to the tile
// in which these loops end.
void FillGaps(const StorePlan& store, const std::vector<Loop>& loops,
              const Tile& tile, const StoreBuffer& buffer);

// As many bytes, whole elements, from `begin` on.
void FillBytes(const StorePlan& store, std::byte* begin, int64_t bytes);

// The whole buffer of a result without elements.
void FillStore(const StorePlan& store, std::byte* buffer);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_GAPS_H_
