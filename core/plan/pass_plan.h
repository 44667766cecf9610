// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A PassPlan is a pass ready to run: loops cut into blocks and tiles, and for
// every block the same list of actions on scratch memory and buffers.
//   in   a Pass, the layouts of what it reads and stores
//   out  offsets and strides; no pointers
// Invariants:
//   (P1) every tensor of the pass has a stride for every loop, in compute order
//   (P2) a value is computed into scratch, or straight into the one store that
//        wants it, if the kernels can write there and nothing else reads it
//   (P3) each slot of a result that no element maps to belongs to one gap, and
//        each gap to the tile that holds the element before it
// Tested by tests/unit/plan/pass_plan_test.cc.

#ifndef STRIDECAST_CORE_PLAN_PASS_PLAN_H_
#define STRIDECAST_CORE_PLAN_PASS_PLAN_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/plan/box_plan.h"
#include "core/plan/cache_limits.h"
#include "core/plan/chain.h"
#include "core/plan/strip_plan.h"
#include "core/plan/tiling.h"
#include "core/program/normalize.h"
#include "core/program/program.h"
#include "stridecast/tensor.h"

namespace stridecast {

// Bytes of an element, and where the tensor lies in the loops of its pass. Of
// an iota, base and strides are indices, not bytes.
struct TensorAccess {
  int64_t element_bytes = 0;
  int64_t base_bytes = 0;       // of the space's first element in the buffer
  DimVector byte_strides = {};  // by loop, in compute order
  bool in_place = false;        // see IsInPlace
  bool repeated = false;        // in place, and a block is one repeated element
};

struct LeafPlan {
  Source source;
  int index;
  DType type;
  TensorAccess access;
  // Operand and constant bytes of type pred may be any number.
  bool normalize_pred = false;
  // Where a packed block goes; -1 if the leaf is used in place. Of a pred to be
  // normalised the slot is two blocks long: result, raw bytes.
  int64_t scratch_offset = -1;
  // All blocks of a tile read the same: it is packed for the first alone.
  bool packed_once = false;
  // All of a tile is packed before its blocks, which use it in place there:
  // strides within the packed tile, by loop. Empty if not.
  DimVector tile_strides = {};
  // Blocks so compact that one which straddles segments is copied together;
  // -1 if the leaf needs its source in one piece.
  int64_t span_bytes = 0;
  int64_t straddle_offset = -1;
};

struct ComputationPlan {
  int value;  // of the program; the last of a chain
  absl::InlinedVector<ValueRef, 3> inputs;
  int64_t element_bytes;
  std::vector<ChainStep> chain = {};  // see chain.h
  ChainTypes chain_types = {};
  int64_t scratch_offset = -1;
  int store = -1;  // computed straight into this store
};

// Bytes between the elements of a result: after the element reached by `loop`
// and all loops of smaller strides, `bytes` from `offset_bytes` on.
struct Gap {
  int position;  // of the loop in StorePlan::loops_by_stride
  int64_t offset_bytes;
  int64_t bytes;
};

struct StorePlan {
  bool is_result;
  int index;
  ValueRef source;
  TensorAccess access;
  bool is_part = false;     // other passes store the rest
  int64_t size_bytes = 0;   // of the whole buffer
  bool past_cache = false;  // written past the caches
  // What follows is for whole results only: others have no gaps.
  ElementPattern fill = {};
  bool fill_is_zero = true;
  // By position: the loops, smallest stride first.
  absl::InlinedVector<int, kInlineRank> loops_by_stride = {};
  std::vector<Gap> gaps = {};
  int64_t reach_bytes = 0;  // from base_bytes to the end of the last element
  bool has_gaps = false;  // or bytes before the first or after the last element
  // Rows with the first gap between them are copied past the caches with it.
  bool streams_row_gaps = false;
};

// Copies past the caches are put together in so much of L1.
inline constexpr int64_t kStageBytes = 16 << 10;

struct Action {
  enum class Kind : int8_t {
    kPack,     // index: leaf
    kCompute,  // index: computation
    kStore,    // index: store; copies a leaf, or scratch
  };
  Kind kind;
  int index;
};

using RelayoutPlan = std::variant<StripPlan, BoxPlan>;

struct PassPlan {
  bool empty = false;  // no elements: only the fill of results is written
  Tiling tiling;
  std::vector<LeafPlan> leaves;
  std::vector<ComputationPlan> computations;
  std::vector<StorePlan> stores;
  std::vector<Action> actions;
  // Of a pass that only gives its one leaf another layout: another way to run
  // all of it. Null if there is none.
  std::unique_ptr<const RelayoutPlan> relayout;
  int64_t scratch_bytes = 0;  // of one thread
  double num_elements = 0;
  double cost_ns = 0;

  // True if the outermost loop walks every result from front to back.
  bool StreamsResults() const;
  // True if, moreover, it walks this leaf's source from front to back, in
  // compact blocks.
  bool StreamsLeaf(const LeafPlan& leaf) const;
};

struct PassPlanOptions {
  int64_t block_bytes = 0;  // 0: DefaultBlockBytes(l1_bytes)
  double tile_cost_ns = 0;  // 0: kDefaultTileCostNs
  int64_t l1_bytes = 32 << 10;
  CacheLimits cache = {};
  bool in_parts = false;  // results are too large to leave as a whole
};

// Of all that a block works on: it stays in L1 beside what is fetched ahead.
constexpr int64_t DefaultBlockBytes(int64_t l1_bytes) { return l1_bytes / 2; }
// Of what a single computation brings into order in a block.
constexpr int64_t OrderedBlockBytes(int64_t l1_bytes) {
  return l1_bytes / 4 * 3;
}
// Of one tensor, where nothing of a block is used twice: the cost of a block is
// spread over more, and it is still read from segments.
inline constexpr int64_t kStreamedBlockBytes = 16 << 10;
// Long against the cost of a task, about 1 µs, and short against the patience
// of a cancelled caller and of the other core at the end of a pass.
inline constexpr double kDefaultTileCostNs = 100e3;
// A leaf whose blocks span more than this is not read from segments.
inline constexpr int64_t kMaxSegmentedSpanBytes = 64 << 10;

PassPlan MakePassPlan(const Pass& pass, const Program& program,
                      absl::Span<const ValueType> temporaries,
                      const PassPlanOptions& options);

// For people.
std::string PassPlanToString(const PassPlan& plan, const Program& program);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_PASS_PLAN_H_
