// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/block_size.h"

#include <algorithm>

#include "core/plan/pass_scratch.h"

namespace stridecast {
namespace {

constexpr int64_t kMinBlockElements = 64;
constexpr int64_t kMaxBlockElements = 8192;
// A block that is only copied goes through L1 part by part.
constexpr int64_t kCopiedPartBytes = 10 << 10;
// So that blocks of bytes are still read from segments.
constexpr int64_t kMaxCopiedPartElements = 4096;
constexpr int64_t kCopiedParts = 16;
static_assert(kMaxCopiedPartElements * kCopiedParts <= kMaxSegmentedSpanBytes);
// In L2, of what is packed from memory.
constexpr int64_t kFromMemoryBytes = 128 << 10;

int64_t BlockElementsFor(int64_t bytes, int64_t element_bytes, int64_t most) {
  return std::clamp(
      bytes / element_bytes / kMinBlockElements * kMinBlockElements,
      kMinBlockElements, most);
}

// Of a single computation that takes one tensor, beside what repeats, to one
// other; else null.
const LeafPlan* OnlyMovingLeaf(const PassPlan& plan,
                               const std::vector<Loop>& loops) {
  if (plan.computations.size() != 1 || plan.stores.size() != 1) return nullptr;
  const LeafPlan* moving = nullptr;
  for (size_t i = 0; i < plan.leaves.size(); ++i) {
    if (Repeats(loops, static_cast<int>(i))) continue;
    // What is counted up is made in L1.
    if (moving != nullptr || plan.leaves[i].source == Source::kIota) {
      return nullptr;
    }
    moving = &plan.leaves[i];
  }
  return moving;
}

}  // namespace

int64_t BlockElements(const PassPlan& plan, const std::vector<Loop>& loops,
                      const PassPlanOptions& options) {
  const int64_t element_bytes = PeakElementBytes(plan, loops);
  if (options.block_bytes > 0) {
    return std::max<int64_t>(options.block_bytes / element_bytes, 1);
  }
  if (const LeafPlan* const leaf = OnlyMovingLeaf(plan, loops)) {
    // It reads and writes in passing what lies right; what stays in L1 is what
    // is brought into order, the narrower side.
    const int64_t leaf_bytes = leaf->access.element_bytes;
    return BlockElementsFor(
        OrderedBlockBytes(options.l1_bytes),
        std::min(leaf_bytes, plan.stores[0].access.element_bytes),
        kMaxSegmentedSpanBytes / leaf_bytes);
  }
  if (plan.computations.empty()) {
    return kCopiedParts * BlockElementsFor(kCopiedPartBytes, element_bytes,
                                           kMaxCopiedPartElements);
  }
  return BlockElementsFor(DefaultBlockBytes(options.l1_bytes), element_bytes,
                          kMaxBlockElements);
}

int64_t BlockElementsFromMemory(const PassPlan& plan,
                                const std::vector<Loop>& loops,
                                const PassPlanOptions& options) {
  const int64_t elements = BlockElements(plan, loops, options);
  if (options.block_bytes > 0 || plan.computations.empty() ||
      OnlyMovingLeaf(plan, loops) != nullptr) {
    return elements;
  }
  return std::max(elements, BlockElementsFor(kFromMemoryBytes,
                                             PeakElementBytes(plan, loops),
                                             kMaxBlockElements));
}

}  // namespace stridecast
