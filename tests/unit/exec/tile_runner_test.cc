// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tiles of passes, run with kernels of one line each that check what they are
// given: whole programs against the oracle, whatever the layouts, blocks, tiles
// and segments.

#include "core/exec/tile_runner.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/exec/gaps.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/support/reference.h"
#include "tests/unit/exec/plain_kernels.h"
#include "tests/unit/program/random_signature.h"

namespace stridecast {
namespace {

using testing::Bytes;
using testing::Desc;
using testing::Op;
using testing::Order;
using testing::Random;
using testing::Reference;
using testing::Result;
using testing::ResultOf;
using testing::Strides;

struct RunOptions {
  PassPlanOptions plan;
  // Outer steps are cut here and there, tiles run in any order, operands come
  // in small segments, all as `random` likes; null: the plain way.
  Random* random = nullptr;
};

// The tiles of a pass.
std::vector<Tile> TilesOf(const Tiling& tiling, Random* random) {
  std::vector<Tile> tiles = {{}};
  for (size_t k = 0; k < tiling.loops.size(); ++k) {
    std::vector<int64_t> starts = {0};
    while (starts.back() < tiling.loops[k].extent) {
      int64_t step = tiling.tile_extents[k];
      if (k == 0 && random != nullptr && random->OneIn(2)) {
        step = random->Below(step) + 1;  // where a range of outer steps ends
      }
      starts.push_back(std::min(starts.back() + step, tiling.loops[k].extent));
    }
    std::vector<Tile> longer;
    for (const Tile& tile : tiles) {
      for (size_t i = 0; i + 1 < starts.size(); ++i) {
        longer.push_back(tile);
        longer.back().begin.push_back(starts[i]);
        longer.back().end.push_back(starts[i + 1]);
      }
    }
    tiles = std::move(longer);
  }
  if (random != nullptr) random->Shuffle(tiles);
  return tiles;
}

// Buffers of their own size each, so that a sanitizer sees every step outside.
class Runner {
 public:
  Runner(const Signature& signature, const std::vector<Bytes>& operands,
         const RunOptions& options)
      : program_(Program::Create(signature, {256, 64, 64, 4096, 1024}).value()),
        normal_(stridecast::Normalize(program_)),
        options_(options) {
    for (const Pass& pass : normal_.passes) {
      plans_.push_back(
          MakePassPlan(pass, program_, normal_.temporaries, options.plan));
    }
    for (size_t i = 0; i < operands.size(); ++i) BindOperand(i, operands[i]);
    for (const ValueType& temporary : normal_.temporaries) {
      temporaries_.emplace_back(temporary.shape.num_elements() *
                                ElementBytes(temporary.type));
    }
    for (const ProgramResult& result : program_.results()) {
      results_.emplace_back(result.desc.size_bytes(), std::byte{0xCD});
    }
  }

  std::vector<Bytes> Results() {
    for (const PassPlan& plan : plans_) RunPass(plan);
    return results_;
  }

 private:
  // In one piece, or in segments of a few bytes if no leaf objects.
  void BindOperand(size_t operand, const Bytes& bytes) {
    bool may_segment = options_.random != nullptr;
    for (const PassPlan& plan : plans_) {
      for (const LeafPlan& leaf : plan.leaves) {
        if (leaf.source == Source::kOperand &&
            leaf.index == static_cast<int>(operand)) {
          may_segment = may_segment && leaf.straddle_offset >= 0;
        }
      }
    }
    SegmentedBytes source;
    const auto total = static_cast<int64_t>(bytes.size());
    for (int64_t at = 0; at < total;) {
      const int64_t count =
          may_segment ? std::min(options_.random->Below(23) + 1, total - at)
                      : total;
      pieces_.emplace_back(bytes.begin() + at, bytes.begin() + at + count);
      source.Append(pieces_.back().data(), count);
      at += count;
    }
    sources_.push_back(source);
  }

  void RunPass(const PassPlan& plan) {
    std::vector<SegmentedBytes> held(plan.leaves.size());
    std::vector<const SegmentedBytes*> leaves;
    for (size_t i = 0; i < plan.leaves.size(); ++i) {
      const LeafPlan& leaf = plan.leaves[i];
      if (leaf.source == Source::kTemporary) {
        const Bytes& bytes = temporaries_[leaf.index];
        held[i] =
            SegmentedBytes(bytes.data(), static_cast<int64_t>(bytes.size()));
      } else if (leaf.source == Source::kConstant) {
        const std::string& data =
            std::get<ConstantAttribute>(
                program_.instruction(leaf.index).attribute)
                .data;
        held[i] =
            SegmentedBytes(reinterpret_cast<const std::byte*>(data.data()),
                           static_cast<int64_t>(data.size()));
      }
      leaves.push_back(leaf.source == Source::kOperand ? &sources_[leaf.index]
                                                       : &held[i]);
    }
    std::vector<std::byte*> stores;
    for (const StorePlan& store : plan.stores) {
      stores.push_back(
          (store.is_result ? results_ : temporaries_)[store.index].data());
    }
    if (plan.empty) {
      for (size_t s = 0; s < stores.size(); ++s) {
        if (plan.stores[s].is_result) FillStore(plan.stores[s], stores[s]);
      }
      return;
    }
    std::vector<BoundKernel> bound_kernels;
    for (const ComputationPlan& computation : plan.computations) {
      const Instruction& instruction = program_.instruction(computation.value);
      bound_kernels.push_back(
          {kernels_.Find(instruction.opcode,
                         program_.inference(computation.value).subject,
                         instruction.attribute),
           {}});
    }
    const PassKernels kernels(plan, kernels_, bound_kernels);
    const BoundPass bound{&plan, &kernels, leaves, stores};
    for (const Tile& tile : TilesOf(plan.tiling, options_.random)) {
      Bytes scratch(static_cast<size_t>(plan.scratch_bytes), std::byte{0xEE});
      RunTile(bound, tile, scratch.data());
    }
  }

  const PlainKernels kernels_;
  const Program program_;
  const NormalProgram normal_;
  const RunOptions options_;
  std::vector<PassPlan> plans_;
  std::vector<Bytes> pieces_;
  std::vector<SegmentedBytes> sources_;
  std::vector<Bytes> temporaries_;
  std::vector<Bytes> results_;
};

std::vector<Bytes> RunProgram(const Signature& signature,
                              const std::vector<Bytes>& operands,
                              const RunOptions& options = {}) {
  return Runner(signature, operands, options).Results();
}

Bytes BytesOf(const std::string& text) {
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string TextOf(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A matrix of bytes from row-major to padded column-major; ones fill the
// padding.
TEST(RunTileTest, WritesElementsAndPadding) {
  const Signature signature = {
      {Desc(DType::kU8, {2, 3})},
      {},
      {Result(Order({0, 1}, {3, 4}, PaddingValue::kOne))}};
  EXPECT_EQ(TextOf(RunProgram(signature, {BytesOf("abcdef")})[0]),
            "ad\1be\1cf\1\1\1\1");
}

struct RunCase {
  const char* name;
  Signature signature;
  std::string operand;
  std::string result;
};

void PrintTo(const RunCase& row, std::ostream* out) { *out << row.name; }

TensorDesc U8(const DimVector& shape, const PhysicalForm& form = {}) {
  return Desc(DType::kU8, shape, form);
}

const std::string kZero(1, '\0');

const RunCase kCases[] = {
    {"Copy", {{U8({5})}, {}, {{}}}, "abcde", "abcde"},
    {"Scalar", {{U8({})}, {}, {{}}}, "a", "a"},
    {"ScalarInAWideBuffer",
     {{U8({})}, {}, {Result(Strides({}, 1, 3))}},
     "a",
     kZero + "a" + kZero},
    {"Transpose",
     {{U8({2, 3})},
      {Op(Opcode::kTranspose, {0}, DimensionsAttribute{{1, 0}})},
      {{}}},
     "abcdef",
     "adbecf"},
    {"Reverse",
     {{U8({5})}, {Op(Opcode::kReverse, {0}, DimensionsAttribute{{0}})}, {{}}},
     "abcde",
     "edcba"},
    {"RepeatedOperand",
     {{U8({2, 2}, Strides({0, 1}))}, {}, {{}}},
     "ab",
     "abab"},
    {"BackwardsOperand",
     {{U8({3}, Strides({-2}, 4))}, {}, {{}}},
     "a-b-c",
     "cba"},
    {"PaddedOperand",
     {{U8({2, 2}, Order({1, 0}, {2, 4}))}, {}, {{}}},
     "ab--cd--",
     "abcd"},
    {"SpacedResult",
     {{U8({3})}, {}, {Result(Strides({2}, 1))}},
     "abc",
     kZero + "a" + kZero + "b" + kZero + "c"},
    {"HeadAndTail",
     {{U8({2})}, {}, {Result(Strides({1}, 2, 6))}},
     "ab",
     kZero + kZero + "ab" + kZero + kZero},
    {"NoElements",
     {{U8({0, 2})}, {}, {Result(Order({1, 0}, {1, 2}, PaddingValue::kOne))}},
     "",
     "\1\1"},
    {"PredsBecomeOne",
     {{Desc(DType::kPred, {4})}, {}, {{}}},
     "\2" + kZero + "\1\xFF",
     "\1" + kZero + "\1\1"},
};

class RunTileCaseTest : public ::testing::TestWithParam<RunCase> {};

TEST_P(RunTileCaseTest, GivesTheBytes) {
  const RunCase& row = GetParam();
  const std::vector<Bytes> operands = {BytesOf(row.operand)};
  const auto expect_result = [&](const RunOptions& options) {
    EXPECT_EQ(TextOf(RunProgram(row.signature, operands, options)[0]),
              row.result);
  };
  expect_result({});
  expect_result({.plan = {.block_bytes = 1, .tile_cost_ns = 0.001}});
}

INSTANTIATE_TEST_SUITE_P(Rows, RunTileCaseTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

// Elements of 16 bytes that straddle segments of 7.
TEST(RunTileTest, GathersElementsThatStraddleSegments) {
  const Signature signature = {
      {Desc(DType::kC128, {6})},
      {Op(Opcode::kReverse, {0}, DimensionsAttribute{{0}})},
      {{}}};
  Bytes operand(6 * 16);
  for (size_t i = 0; i < operand.size(); ++i) {
    operand[i] = static_cast<std::byte>(i);
  }
  Random random(1);
  EXPECT_EQ(RunProgram(signature, {operand}, {.plan = {}, .random = &random}),
            Reference(signature, std::vector<Bytes>{operand}));
}

// Random programs on random layouts.

Signature WithRandomLayouts(Signature signature, Random& random) {
  for (TensorDesc& operand : signature.operands) {
    const DimVector shape(operand.shape().extents().begin(),
                          operand.shape().extents().end());
    operand = Desc(operand.type(), shape,
                   RandomOperandForm(random, operand.type(), shape));
  }
  const Program program =
      Program::Create(signature, {256, 64, 64, 4096, 1024}).value();
  for (size_t i = 0; i < signature.results.size(); ++i) {
    const TensorDesc& desc = program.results()[i].desc;
    const auto extents = desc.shape().extents();
    signature.results[i].form = RandomResultForm(
        random, desc.type(), DimVector(extents.begin(), extents.end()));
  }
  return signature;
}

std::vector<Bytes> RandomOperands(const Signature& signature, Random& random) {
  std::vector<Bytes> operands;
  for (const TensorDesc& desc : signature.operands) {
    operands.emplace_back(desc.size_bytes());
    for (std::byte& b : operands.back()) {
      b = static_cast<std::byte>(random.OneIn(3) ? 0 : random.Below(256));
    }
  }
  return operands;
}

void ExpectAsReference(const Signature& signature, Random& random) {
  const std::vector<Bytes> operands = RandomOperands(signature, random);
  RunOptions options;
  options.random = &random;
  if (random.OneIn(2)) options.plan.block_bytes = random.Below(200) + 1;
  if (random.OneIn(2))
    options.plan.tile_cost_ns = 1.0 + static_cast<double>(random.Below(50));
  EXPECT_EQ(RunProgram(signature, operands, options),
            Reference(signature, operands));
}

TEST(RunTilePropertyTest, ProgramsAsTheOracleSays) {
  constexpr uint64_t kSeed = 21;
  constexpr DType kTypes[] = {DType::kPred, DType::kU8, DType::kU16,
                              DType::kU32, DType::kU64};
  for (uint64_t run = 0; run < 2000; ++run) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed + run));
    Random random(kSeed + run);
    const DType type = kTypes[random.Below(std::size(kTypes))];
    ExpectAsReference(WithRandomLayouts(RandomSignature(random, type), random),
                      random);
    if (HasFailure()) FAIL();
  }
}

// Copies of every element size, of shapes that take several blocks and tiles.
TEST(RunTilePropertyTest, RelayoutsAsTheOracleSays) {
  constexpr uint64_t kSeed = 31;
  for (uint64_t run = 0; run < 500; ++run) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed + run));
    Random random(kSeed + run);
    DimVector shape(random.Below(4) + 1);
    for (int64_t& extent : shape) {
      extent = random.OneIn(3) ? random.Below(40) + 1 : random.Below(5) + 1;
    }
    const DType type = kAllDTypes[random.Below(std::size(kAllDTypes))];
    ExpectAsReference(
        WithRandomLayouts({{Desc(type, shape)}, {}, {ResultSpec{}}}, random),
        random);
    if (HasFailure()) FAIL();
  }
}

}  // namespace
}  // namespace stridecast
