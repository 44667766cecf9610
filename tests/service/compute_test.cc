// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Calls that succeed, over a real connection: values, layouts, both encodings,
// one client and many.

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/request_codec.h"
#include "server/call.h"
#include "tests/service/service_testing.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What a caller with generated stubs and typed lists writes: rows of a matrix
// plus a vector, answered in the other dimension order.
TEST(ComputeTest, TypedCallReadsAsItIsWritten) {
  TestServer server;
  const auto request = FromText<v1::ComputeRequest>(R"(
    spec {
      operands { type: F32 dimensions: [2, 3] }
      operands { type: F32 dimensions: 3 }
      instructions { opcode: ADD operands: [0, 1] broadcast_dimensions: 1 }
      results { layout { minor_to_major: [0, 1] } }
    }
    payloads { floats: [1, 2, 3, 4, 5, 6] }
    payloads { floats: [10, 20, 30] })");
  grpc::ClientContext context;
  v1::ComputeResponse response;
  const grpc::Status status =
      server.stub().Compute(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(response.payloads(0).floats(),
              ElementsAre(11, 14, 22, 25, 33, 36));
  EXPECT_THAT(response.results(0).layout().minor_to_major(), ElementsAre(0, 1));
}

// Equal but for their payloads, they share a plan.
TEST(ComputeTest, RepeatedCallsAnswerTheirOwnNumbers) {
  TestServer server;
  auto request = FromText<v1::ComputeRequest>(R"(
    spec {
      operands { type: F32 dimensions: 2 }
      instructions { opcode: NEGATE operands: 0 }
      results { }
    })");
  for (const float number : {1.0f, 2.0f, 3.0f}) {
    for (const bool typed : {true, false}) {
      request.clear_payloads();
      const float numbers[] = {number, -number};
      if (typed) {
        request.add_payloads()->mutable_floats()->Add(numbers, numbers + 2);
      } else {
        request.add_payloads()->set_raw(numbers, sizeof(numbers));
      }
      grpc::ClientContext context;
      v1::ComputeResponse response;
      const grpc::Status status =
          server.stub().Compute(&context, request, &response);
      ASSERT_TRUE(status.ok()) << status.error_message();
      EXPECT_EQ(response.payloads(0).floats_size(), typed ? 2 : 0);
      const std::vector<float> answer =
          typed ? std::vector<float>(response.payloads(0).floats().begin(),
                                     response.payloads(0).floats().end())
                : FloatsOf(response.payloads(0));
      EXPECT_THAT(answer, ElementsAre(-number, number));
    }
  }
  // Its operand is of another size, its program the same.
  request.mutable_spec()->mutable_operands(0)->set_dimensions(0, 3);
  grpc::ClientContext context;
  v1::ComputeResponse response;
  EXPECT_EQ(server.stub().Compute(&context, request, &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(ComputeTest, RelayoutConvertsOnTheWay) {
  TestServer server;
  const auto request = FromText<v1::RelayoutRequest>(R"(
    operand { type: U8 dimensions: [2, 3] }
    result { layout { minor_to_major: [0, 1] } }
    convert { type: F32 }
    payload { uint32s: [1, 2, 3, 4, 5, 6] })");
  grpc::ClientContext context;
  v1::RelayoutResponse response;
  const grpc::Status status =
      server.stub().Relayout(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(response.payload().floats(), ElementsAre(1, 4, 2, 5, 3, 6));
}

class ExampleTest : public ::testing::TestWithParam<bool> {};

// Every example of SEMANTICS.md, with raw bytes and with typed lists.
TEST_P(ExampleTest, AnswersOrRefusesAsSpecified) {
  const bool typed = GetParam();
  TestServer server;
  for (const Example& example : AllExamples()) {
    SCOPED_TRACE(example.name);
    std::vector<Bytes> operands;
    std::vector<SegmentedBytes> payloads;
    for (size_t i = 0; i < example.operands.size(); ++i) {
      operands.push_back(EncodeNumbers(example.signature.operands[i].type(),
                                       example.operands[i]));
    }
    for (const Bytes& bytes : operands) {
      payloads.emplace_back(bytes.data(), static_cast<int64_t>(bytes.size()));
    }
    const std::vector<Encoding> encodings(
        example.signature.results.size(),
        typed ? Encoding::kTyped : Encoding::kRaw);
    const absl::StatusOr<grpc::ByteBuffer> reply = CallRaw(
        server.channel(), "Compute",
        EncodeComputeRequest(example.signature, payloads, encodings, typed));
    if (example.code != absl::StatusCode::kOk) {
      EXPECT_EQ(reply.status().code(), example.code) << reply.status();
      for (const std::string& text : example.texts) {
        EXPECT_THAT(std::string(reply.status().message()), HasSubstr(text));
      }
      continue;
    }
    ASSERT_TRUE(reply.ok()) << reply.status();
    const absl::StatusOr<DecodedResponse> response =
        DecodeComputeResponse(*reply);
    ASSERT_TRUE(response.ok()) << response.status();
    ASSERT_EQ(response->results.size(), example.results.size());
    for (size_t i = 0; i < example.results.size(); ++i) {
      const DType type = response->results[i].type();
      Bytes bytes(static_cast<size_t>(response->payloads[i].size_bytes()));
      response->payloads[i].CopyTo(0, response->payloads[i].size_bytes(),
                                   bytes.data());
      EXPECT_EQ(NumbersToString(type, bytes),
                NumbersToString(type, EncodeNumbers(type, example.results[i])));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Payloads, ExampleTest, ::testing::Bool(),
                         [](const auto& row) {
                           return row.param ? "Typed" : "Raw";
                         });

// Large enough to arrive in many segments, to run on the engine's threads and,
// transposed, to be gathered into one piece.
TEST(ComputeTest, LargeOperandsKeepTheirBytes) {
  TestServer server;
  constexpr int64_t kRows = 1024;
  constexpr int64_t kColumns = 2048;
  v1::ComputeRequest request = IdentityRequest(kRows * kColumns);
  auto& spec = *request.mutable_spec();
  spec.mutable_operands(0)->clear_dimensions();
  spec.mutable_operands(0)->add_dimensions(kRows);
  spec.mutable_operands(0)->add_dimensions(kColumns);
  for (const bool transposed : {false, true}) {
    if (transposed) {
      auto& layout = *spec.mutable_results(0)->mutable_layout();
      layout.add_minor_to_major(0);
      layout.add_minor_to_major(1);
    }
    grpc::ClientContext context;
    v1::ComputeResponse response;
    const grpc::Status status =
        server.stub().Compute(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    const std::vector<float> values = FloatsOf(response.payloads(0));
    ASSERT_EQ(values.size(), kRows * kColumns);
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t column = 0; column < kColumns; ++column) {
        const int64_t slot =
            transposed ? column * kRows + row : row * kColumns + column;
        ASSERT_EQ(values[static_cast<size_t>(slot)],
                  static_cast<float>(row * kColumns + column));
      }
    }
  }
}

TEST(ComputeTest, ElementlessTensorsAndScalars) {
  TestServer server;
  for (const char* text :
       {"spec { operands { type: F32 dimensions: [0, 5] } "
        "instructions { opcode: NEGATE operands: 0 } results {} } "
        "payloads {}",
        "spec { operands { type: F32 } instructions { opcode: NEGATE "
        "operands: 0 } results {} } payloads { floats: 2 }"}) {
    grpc::ClientContext context;
    v1::ComputeResponse response;
    const grpc::Status status = server.stub().Compute(
        &context, FromText<v1::ComputeRequest>(text), &response);
    EXPECT_TRUE(status.ok()) << text << status.error_message();
    EXPECT_EQ(response.payloads_size(), 1) << text;
  }
}

TEST(ComputeTest, EveryCallHasARequestIdOfItsOwn) {
  TestServer server;
  std::vector<std::string> ids;
  for (const bool valid : {true, true, false}) {
    grpc::ClientContext context;
    v1::ComputeResponse response;
    (void)server.stub().Compute(
        &context, valid ? IdentityRequest(1) : v1::ComputeRequest(), &response);
    const auto& trailers = context.GetServerTrailingMetadata();
    const auto id = trailers.find(kRequestIdTrailer);
    ASSERT_NE(id, trailers.end());
    ids.emplace_back(id->second.begin(), id->second.end());
    EXPECT_EQ(ids.back().size(), 16u);
  }
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_NE(ids[1], ids[2]);
}

// Small calls that run inline beside large ones that do not, and refusals, on
// several connections.
TEST(ComputeTest, ManyClientsGetTheirOwnAnswers) {
  TestServer server;
  std::atomic<int> num_wrong = 0;
  const auto client = [&](int id) {
    const auto stub = v1::TensorCompute::NewStub(server.NewChannel());
    for (int i = 0; i < 60; ++i) {
      const int64_t num_floats = i % 3 == 0 ? 300'000 + id : 10 + id;
      v1::ComputeRequest request = IdentityRequest(num_floats);
      auto& instruction = *request.mutable_spec()->mutable_instructions(0);
      instruction.set_opcode(v1::Instruction::ADD);
      instruction.add_operands(0);
      const bool valid = i % 5 != 4;
      if (!valid) request.mutable_payloads(0)->clear_raw();
      grpc::ClientContext context;
      v1::ComputeResponse response;
      const grpc::Status status = stub->Compute(&context, request, &response);
      if (status.ok() != valid) ++num_wrong;
      if (!valid || !status.ok()) continue;
      const std::vector<float> values = FloatsOf(response.payloads(0));
      if (static_cast<int64_t>(values.size()) != num_floats) ++num_wrong;
      for (size_t k = 0; k < values.size(); ++k) {
        if (values[k] != 2 * static_cast<float>(k)) {
          ++num_wrong;
          break;
        }
      }
    }
  };
  std::vector<std::thread> clients;
  for (int id = 0; id < 8; ++id) clients.emplace_back(client, id);
  for (std::thread& thread : clients) thread.join();
  EXPECT_EQ(num_wrong, 0);
}

}  // namespace
}  // namespace stridecast::testing
