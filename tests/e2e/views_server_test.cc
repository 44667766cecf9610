// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Views of parts of arrays as operands and as results, through the server
// program.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/client.h"
#include "stridecast/dlpack.h"
#include "stridecast/layouts.h"
#include "stridecast/strided_view.h"
#include "tests/support/server_process.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ViewsServerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<ServerProcess>(
        STRIDECAST_SERVER_PROGRAM,
        std::vector<std::string>{"--listen=127.0.0.1:0",
                                 "--drain-delay-seconds=0"});
    address_ = server_->WaitForAddress();
    ASSERT_FALSE(address_.empty()) << server_->err();
  }
  static void TearDownTestSuite() { server_.reset(); }

  const Client client_ = Client::Connect(address_);

 private:
  static std::unique_ptr<ServerProcess> server_;
  static std::string address_;
};

std::unique_ptr<ServerProcess> ViewsServerTest::server_;
std::string ViewsServerTest::address_;

// A part of a row-major int32_t array.
struct Part {
  int64_t array_size = 1;
  int64_t origin = 0;
  DimVector extents;
  DimVector byte_strides;
  // Of its elements in row-major order, where they are in the array.
  std::vector<size_t> positions;
};

Part RandomPart(std::mt19937_64& engine, bool may_run_backwards) {
  const auto between = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  };
  Part part;
  std::vector<int64_t> positions = {0};
  for (int64_t rank = between(1, 4), d = 0; d < rank; ++d) {
    const int64_t extent = between(1, 5);
    const bool backwards = may_run_backwards && between(0, 1) == 0;
    const int64_t step = between(1, 3) * (backwards ? -1 : 1);
    const int64_t array_extent = (extent - 1) * std::abs(step) + between(1, 3);
    const int64_t start = step < 0 ? (extent - 1) * -step : 0;
    // The dimensions so far make room for a faster one.
    for (int64_t& stride : part.byte_strides) stride *= array_extent;
    part.byte_strides.push_back(step * 4);
    part.extents.push_back(extent);
    part.array_size *= array_extent;
    part.origin = part.origin * array_extent + start;
    std::vector<int64_t> longer;
    for (int64_t position : positions) {
      for (int64_t i = 0; i < extent; ++i) {
        longer.push_back(position * array_extent + start + i * step);
      }
    }
    positions = std::move(longer);
  }
  part.positions.assign(positions.begin(), positions.end());
  return part;
}

TEST_F(ViewsServerTest, PartsOfArraysAreOperands) {
  constexpr uint64_t kSeed = 20263;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 engine(kSeed);
  for (int round = 0; round < 200; ++round) {
    const Part part = RandomPart(engine, true);
    std::vector<int32_t> array(static_cast<size_t>(part.array_size));
    std::iota(array.begin(), array.end(), 1000);
    const auto view = StridedView(&array[static_cast<size_t>(part.origin)],
                                  part.extents, part.byte_strides);
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
  std::mt19937_64 engine(kSeed);
  for (int round = 0; round < 200; ++round) {
    const Part part = RandomPart(engine, false);
    std::vector<int32_t> numbers(part.positions.size());
    std::iota(numbers.begin(), numbers.end(), 1000);
    std::vector<int32_t> array(static_cast<size_t>(part.array_size), -1);
    const auto result =
        MutableStridedView(&array[static_cast<size_t>(part.origin)],
                           part.extents, part.byte_strides);
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
