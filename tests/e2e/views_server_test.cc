// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Views of parts of arrays as operands and as results, through the server
// program.

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/client.h"
#include "stridecast/dlpack.h"
#include "stridecast/layouts.h"
#include "stridecast/strided_view.h"
#include "tests/e2e/server_fixture.h"
#include "tests/support/random_part.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using ViewsServerTest = ServerTest;

TEST_F(ViewsServerTest, PartsOfArraysAreOperands) {
  constexpr uint64_t kSeed = 20263;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  Random random(kSeed);
  for (int round = 0; round < 200; ++round) {
    const ArrayPart part = RandomPart(random, PartOf::kOperand);
    std::vector<int32_t> array(static_cast<size_t>(part.array_size));
    std::iota(array.begin(), array.end(), 1000);
    const auto view = StridedView(&array[static_cast<size_t>(part.origin)],
                                  part.extents, part.ByteStrides(4));
    ASSERT_TRUE(view.ok()) << view.status();
    const auto promoted = Promote(*view, 5);
    ASSERT_TRUE(promoted.ok()) << promoted.status();
    const auto packed = client_.Relayout(*promoted, {});
    ASSERT_TRUE(packed.ok()) << packed.status();
    std::vector<int32_t> expected;
    for (size_t position : part.positions) expected.push_back(array[position]);
    const auto slots = packed->slots<int32_t>();
    ASSERT_EQ(std::vector<int32_t>(slots.begin(), slots.end()), expected);
  }
}

TEST_F(ViewsServerTest, PartsOfArraysAreResults) {
  constexpr uint64_t kSeed = 20264;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  Random random(kSeed);
  for (int round = 0; round < 200; ++round) {
    const ArrayPart part = RandomPart(random, PartOf::kResult);
    std::vector<int32_t> numbers(part.positions.size());
    std::iota(numbers.begin(), numbers.end(), 1000);
    std::vector<int32_t> array(static_cast<size_t>(part.array_size), -1);
    const auto result =
        MutableStridedView(&array[static_cast<size_t>(part.origin)],
                           part.extents, part.ByteStrides(4));
    ASSERT_TRUE(result.ok()) << result.status();
    const absl::Status status =
        client_.RelayoutInto(*View(numbers, part.extents), *result);
    ASSERT_TRUE(status.ok()) << status;
    std::vector<int32_t> expected(array.size(), -1);
    for (size_t i = 0; i < numbers.size(); ++i) {
      expected[part.positions[i]] = numbers[i];
    }
    ASSERT_EQ(array, expected);
  }
}

TEST_F(ViewsServerTest, ResultsNeitherShareElementsNorRunBackwards) {
  const std::vector<float> numbers = {1, 2, 3, 4};
  std::vector<float> target(4, -1);
  for (int64_t stride : {0, 4, -8}) {
    const auto result = MutableStridedView(&target[2], {2, 2}, {stride, 4});
    ASSERT_TRUE(result.ok()) << result.status();
    const absl::Status status =
        client_.RelayoutInto(*View(numbers, {2, 2}), *result);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(stride < 0 ? "is negative; results take none"
                                     : "not provably non-overlapping"));
    EXPECT_THAT(target, ElementsAre(-1, -1, -1, -1));
  }
}

TEST_F(ViewsServerTest, DLPackToDLPack) {
  std::vector<float> columns = {1, 4, 2, 5, 3, 6};
  BorrowedDLTensor given(*View(columns, {2, 3}, *LayoutNamed("WH")));
  auto packed = client_.Relayout(*FromDLPack(*given.get()), RowMajor(2));
  ASSERT_TRUE(packed.ok()) << packed.status();
  const DLManagedTensorPtr taken = ToDLPack(*std::move(packed));
  const auto* memory = static_cast<const float*>(taken->dl_tensor.data);
  EXPECT_THAT(std::vector<float>(memory, memory + 6),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace stridecast::testing
