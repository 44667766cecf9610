// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the server says of plans and of itself agrees with what it does.

#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/version.h"
#include "tests/service/service_testing.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

v1::Plan Explain(TestServer& server, const char* text) {
  grpc::ClientContext context;
  v1::Plan plan;
  const grpc::Status status = server.stub().Explain(
      &context, FromText<v1::ExplainRequest>(text), &plan);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return plan;
}

TEST(ExplainTest, SaysSizesStridesAndShapes) {
  TestServer server;
  const v1::Plan plan = Explain(server, R"(compute {
    operands { type: F32 dimensions: [2, 3] layout {
      minor_to_major: [1, 0] padded_dimensions: [2, 4] } }
    operands { type: F32 dimensions: 3 }
    instructions { opcode: ADD operands: [0, 1] broadcast_dimensions: 1 }
    results { layout { minor_to_major: [0, 1] } }
  })");
  ASSERT_EQ(plan.operands_size(), 2);
  EXPECT_THAT(plan.operands(0).byte_strides(), ElementsAre(16, 4));
  EXPECT_EQ(plan.operands(0).size_bytes(), 32);
  EXPECT_EQ(plan.operands(1).size_bytes(), 12);
  EXPECT_EQ(plan.operands(1).xla_shape(), "f32[3]{0}");
  ASSERT_EQ(plan.results_size(), 1);
  EXPECT_THAT(plan.results(0).byte_strides(), ElementsAre(4, 8));
  EXPECT_EQ(plan.results(0).size_bytes(), 24);
  EXPECT_EQ(plan.results(0).xla_shape(), "f32[2,3]{0,1}");
  EXPECT_THAT(plan.results(0).desc().layout().minor_to_major(),
              ElementsAre(0, 1));
  EXPECT_GE(plan.admitted_bytes(), 32 + 12 + 24 + plan.scratch_bytes());
  EXPECT_THAT(plan.text(), Not(IsEmpty()));
}

TEST(ExplainTest, OfRelayout) {
  TestServer server;
  const v1::Plan plan = Explain(server, R"(relayout {
    operand { type: U8 dimensions: [2, 3] }
    convert { type: F32 }
    result { layout { minor_to_major: [0, 1] } }
  })");
  ASSERT_EQ(plan.results_size(), 1);
  EXPECT_EQ(plan.results(0).desc().type(), v1::F32);
  EXPECT_EQ(plan.results(0).size_bytes(), 24);
}

// Rows 100 to 899 of the first, the second whole, the third not at all.
TEST(ExplainTest, SaysWhichBytesStream) {
  TestServer server;
  const v1::Plan plan = Explain(server, R"(compute {
    operands { type: F32 dimensions: [1000, 1000] }
    operands { type: F32 dimensions: [800, 1000] }
    operands { type: F32 dimensions: [1000, 1000] }
    instructions { opcode: SLICE operands: 0
                   slice { start: [100, 0] limit: [900, 1000] } }
    instructions { opcode: ADD operands: [3, 1] }
    results {}
  })");
  EXPECT_EQ(plan.operands(0).streaming(), v1::TensorPlan::STREAMED);
  EXPECT_EQ(plan.operands(0).stream_begin(), 100 * 4000);
  EXPECT_EQ(plan.operands(0).stream_end(), 900 * 4000);
  EXPECT_EQ(plan.operands(1).stream_begin(), 0);
  EXPECT_EQ(plan.operands(1).stream_end(), 800 * 4000);
  EXPECT_EQ(plan.operands(2).stream_begin(), 0);
  EXPECT_EQ(plan.operands(2).stream_end(), 0);
}

// An operand as large as it can be said costs nothing to describe.
TEST(ExplainTest, HugeOperandsSaturate) {
  TestServer server;
  const v1::Plan plan = Explain(server, R"(compute {
    operands { type: U8 dimensions: 6000000000000000000 }
    operands { type: U8 dimensions: 6000000000000000000 }
    instructions { opcode: SLICE operands: 0 slice { start: 0 limit: 4 } }
    results {}
  })");
  EXPECT_EQ(plan.operands(0).size_bytes(), 6'000'000'000'000'000'000);
  EXPECT_EQ(plan.results(0).size_bytes(), 4);
  EXPECT_EQ(plan.admitted_bytes(), std::numeric_limits<int64_t>::max());
}

TEST(GetServerInfoTest, VersionTargetAndLimits) {
  ServerOptions options = TestOptions();
  options.max_message_bytes = 123'456;
  options.max_result_bytes = 654'321;
  TestServer server(options);
  grpc::ClientContext context;
  v1::GetServerInfoResponse info;
  ASSERT_TRUE(server.stub().GetServerInfo(&context, {}, &info).ok());
  EXPECT_EQ(info.version(), kStridecastVersion);
  EXPECT_EQ(info.simd_target(), server.server().engine().simd_target());
  EXPECT_EQ(info.limits().at("max_message_bytes"), 123'456);
  EXPECT_EQ(info.limits().at("max_result_bytes"), 654'321);
  EXPECT_EQ(info.limits().at("max_inflight_bytes"), int64_t{1} << 30);
  EXPECT_EQ(info.limits().at("max_rank"), 16);
  EXPECT_EQ(info.limits().at("max_instructions"), 256);
  EXPECT_EQ(info.limits().at("max_operands"), 64);
  EXPECT_EQ(info.limits().at("max_operand_references"), 1024);
  EXPECT_EQ(info.limits().at("max_results"), 64);
  EXPECT_EQ(info.limits().at("max_constant_bytes"), 64 << 10);
  EXPECT_EQ(info.limits().at("max_typed_elements"), 1 << 20);
  EXPECT_EQ(info.limits().at("default_deadline_seconds"), 300);
  EXPECT_THAT(info.features(), IsEmpty());
}

TEST(GetServerInfoTest, ListsWhatTheEngineSupportsAndNothingElse) {
  TestServer server;
  grpc::ClientContext context;
  v1::GetServerInfoResponse info;
  ASSERT_TRUE(server.stub().GetServerInfo(&context, {}, &info).ok());
  std::set<std::pair<int, int>> listed;
  for (const auto& support : info.operations()) {
    EXPECT_GT(support.types_size(), 0);
    for (int type : support.types()) listed.insert({support.opcode(), type});
  }
  const Engine& engine = server.server().engine();
  for (const Operation& operation : AllOperations()) {
    for (DType type : kAllDTypes) {
      EXPECT_EQ(listed.count({static_cast<int>(operation.opcode),
                              static_cast<int>(type)}),
                engine.Supports(operation.opcode, type))
          << operation.label << " " << DTypeName(type);
    }
  }
  EXPECT_TRUE(listed.count({v1::Instruction::ADD, v1::F32}));
}

}  // namespace
}  // namespace stridecast::testing
