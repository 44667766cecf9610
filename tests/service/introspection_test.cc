// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the server says of plans and of itself agrees with what it does.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/spec_codec.h"
#include "server/version.h"
#include "tests/service/service_testing.h"
#include "tests/service/stream_testing.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

v1::Plan Explain(TestServer& server, const v1::ExplainRequest& request) {
  grpc::ClientContext context;
  v1::Plan plan;
  const grpc::Status status = server.stub().Explain(&context, request, &plan);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return plan;
}

v1::Plan Explain(TestServer& server, const char* text) {
  return Explain(server, FromText<v1::ExplainRequest>(text));
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

// Of what streams here; all steps take as much.
constexpr int64_t kStreamedBytes = 64 * kMiB;

// A round takes 4 MiB of the greatest tensor, at least one outer step.
int64_t RoundBytes(TestServer& server, const v1::ComputeSpec& spec) {
  int64_t typed_elements_left = 0;
  const Signature signature =
      SpecFromProto(spec, typed_elements_left)->signature;
  const int64_t num_steps = server.server()
                                .engine()
                                .Prepare(signature, Delivery::kInParts)
                                .value()
                                ->num_outer_steps();
  EXPECT_GT(num_steps, 1);
  EXPECT_EQ(kStreamedBytes % num_steps, 0) << num_steps;
  const int64_t step_bytes = kStreamedBytes / num_steps;
  return std::max<int64_t>(4 * kMiB / step_bytes, 1) * step_bytes;
}

struct StreamRow {
  const char* name;
  const char* spec;
  std::vector<v1::TensorPlan::Streaming> operands;
  int64_t held_bytes;  // whole
  int num_streamed;
};

const StreamRow kStreams[] = {
    {"ElementWise",
     R"(operands { type: F32 dimensions: [16384, 1024] }
        operands { type: F32 dimensions: [16384, 1024] }
        instructions { opcode: ADD operands: [0, 1] }
        results {})",
     {v1::TensorPlan::STREAMED, v1::TensorPlan::STREAMED},
     0,
     2},
    {"Transpose",
     R"(operands { type: F32 dimensions: [4096, 4096] }
        instructions { opcode: TRANSPOSE operands: 0
                       dimensions { dimensions: [1, 0] } }
        results {})",
     {v1::TensorPlan::HELD},
     64 * kMiB,
     0},
    {"ElementWiseWithARow",
     R"(operands { type: F32 dimensions: [16384, 1024] }
        operands { type: F32 dimensions: 1024 }
        instructions { opcode: ADD operands: [0, 1] broadcast_dimensions: 1 }
        results {})",
     {v1::TensorPlan::STREAMED, v1::TensorPlan::HELD},
     4096,
     1},
};

TEST(ExplainTest, WhatAStreamHolds) {
  TestServer server;
  for (const StreamRow& row : kStreams) {
    SCOPED_TRACE(row.name);
    v1::ExplainRequest request;
    *request.mutable_compute() = FromText<v1::ComputeSpec>(row.spec);
    const v1::Plan plan = Explain(server, request);
    ASSERT_EQ(plan.operands_size(), static_cast<int>(row.operands.size()));
    for (int i = 0; i < plan.operands_size(); ++i) {
      EXPECT_EQ(plan.operands(i).streaming(), row.operands[i]) << i;
    }
    EXPECT_EQ(plan.results(0).streaming(), v1::TensorPlan::STREAMED);
    EXPECT_EQ(plan.stream_window_bytes(), 16 * kMiB);
    EXPECT_EQ(plan.max_chunk_bytes(), 2 * kMiB);
    // An operand: three rounds, the window, a chunk, and what small chunks are
    // copied into. A result: the round that is computed and the one sent.
    const int64_t round_bytes = RoundBytes(server, request.compute());
    EXPECT_LE(round_bytes, 4 * kMiB);
    EXPECT_EQ(plan.stream_memory_bytes(),
              plan.scratch_bytes() + row.held_bytes +
                  row.num_streamed * (3 * round_bytes + 19 * kMiB) +
                  2 * round_bytes);
  }
}

// No more than the tensors have.
TEST(ExplainTest, WhatASmallStreamHolds) {
  TestServer server;
  const v1::Plan plan = Explain(server, R"(compute {
    operands { type: F32 dimensions: [16, 16] }
    operands { type: F32 dimensions: [16, 16] }
    instructions { opcode: ADD operands: [0, 1] }
    results {}
  })");
  EXPECT_EQ(plan.stream_memory_bytes(), plan.scratch_bytes() + 3 * 1024);
}

// A stream is told what Explain tells, and admitted with that.
TEST(ExplainTest, StreamsAreAdmittedWithWhatIsSaid) {
  for (const StreamRow& row : kStreams) {
    SCOPED_TRACE(row.name);
    v1::ExplainRequest request;
    *request.mutable_compute() = FromText<v1::ComputeSpec>(row.spec);
    TestServer explaining;
    const v1::Plan plan = Explain(explaining, request);
    for (const int64_t missing : {0, 1}) {
      ServerOptions options = TestOptions();
      options.max_inflight_bytes = plan.stream_memory_bytes() - missing;
      TestServer server(options);
      Stream stream(server);
      ASSERT_TRUE(stream.Begin(request.compute()));
      if (missing == 0) {
        EXPECT_EQ(stream.ReadReady().SerializeAsString(),
                  plan.SerializeAsString());
      } else {
        EXPECT_EQ(stream.End().error_code(),
                  grpc::StatusCode::RESOURCE_EXHAUSTED);
      }
      stream.Cancel();
    }
  }
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
