// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The client over a fake transport: what it sends, what it makes of replies.

#include "stridecast/client.h"

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "client/message_lease.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/status_codec.h"
#include "stridecast/program.h"
#include "stridecast/v1/service.pb.h"
#include "tests/e2e/fake_transport.h"

namespace stridecast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ClientTest, SendsTheProgramAndTheBytesAndReturnsTheResult) {
  const std::vector<float> buffer = {1, 2, 3, 4, 5, 6};
  const Client client = ClientOf([&](const CallHeader& header,
                                     const grpc::ByteBuffer& bytes)
                                     -> absl::StatusOr<grpc::ByteBuffer> {
    EXPECT_EQ(header.method, "/stridecast.v1.TensorCompute/Compute");
    const auto request = DecodeComputeRequest(bytes);
    EXPECT_TRUE(request.ok()) << request.status();
    EXPECT_EQ(request->signature.instructions[0].opcode, Opcode::kAdd);
    std::vector<float> sent(6);
    request->payloads[0].CopyTo(0, 24,
                                reinterpret_cast<std::byte*>(sent.data()));
    EXPECT_EQ(sent, buffer);
    return ComputeReply(request->signature.operands[0], {2, 4, 6, 8, 10, 12});
  });
  const auto results = client.Compute(Doubling(), {*View(buffer, {2, 3})});
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ(results->front().desc().ToString(), "f32[2,3]{1,0}");
  EXPECT_THAT(results->front().slots<float>(), ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST(ClientTest, SendsLargeOperandsWithoutACopy) {
  const std::vector<float> buffer(1 << 20);
  const auto desc = TensorDesc::Create(DType::kF32, {1 << 20});
  ProgramBuilder b;
  b.Result(b.Parameter(*desc));
  bool found = false;
  const Client client = ClientOf(
      [&](const CallHeader&,
          const grpc::ByteBuffer& bytes) -> absl::StatusOr<grpc::ByteBuffer> {
        std::vector<grpc::Slice> slices;
        EXPECT_TRUE(bytes.Dump(&slices).ok());
        for (const grpc::Slice& slice : slices) {
          found |= static_cast<const void*>(slice.begin()) == buffer.data();
        }
        return absl::UnimplementedError("enough seen");
      });
  EXPECT_FALSE(client.Compute(*b.Build(), {*View(buffer, {1 << 20})}).ok());
  EXPECT_TRUE(found);
}

TEST(ClientTest, FillsTheCallersBufferInTheCallersLayout) {
  const std::vector<float> buffer = {1, 2, 3, 4, 5, 6};
  std::vector<float> out(6, -1);
  const Client client = ClientOf(
      [&](const CallHeader&,
          const grpc::ByteBuffer& bytes) -> absl::StatusOr<grpc::ByteBuffer> {
        const auto request = DecodeComputeRequest(bytes);
        EXPECT_TRUE(request.ok()) << request.status();
        const ResultSpec& wanted = request->signature.results[0];
        EXPECT_EQ(wanted.type, DType::kF32);
        EXPECT_EQ(wanted.shape, (DimVector{2, 3}));
        const auto desc = TensorDesc::Create(DType::kF32, {2, 3}, wanted.form);
        EXPECT_EQ(desc->ToString(), "f32[2,3]{0,1}");
        return ComputeReply(*desc, {2, 8, 4, 10, 6, 12});
      });
  const auto result = *MutableView(out, {2, 3}, DimensionOrder{{0, 1}, {}, {}});
  // The signature says row-major; the buffer decides.
  const absl::Status status =
      client.ComputeInto(Doubling(), {*View(buffer, {2, 3})}, {result});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(out, ElementsAre(2, 8, 4, 10, 6, 12));
}

TEST(ClientTest, LeavesWhatLiesBetweenTheElementsOfTheCallersBuffer) {
  const std::vector<float> buffer = {1, 2, 3, 4, 5, 6};
  std::vector<float> out(8, -1);
  const Client client =
      ClientOf([&](const CallHeader&, const grpc::ByteBuffer& bytes) {
        const auto request = DecodeComputeRequest(bytes);
        EXPECT_TRUE(request.ok()) << request.status();
        const auto desc = TensorDesc::Create(
            DType::kF32, {2, 3}, request->signature.results[0].form);
        return ComputeReply(*desc, {2, 4, 6, 0, 0, 8, 10, 12});
      });
  const auto result = *MutableView(out, {2, 3}, ElementStrides{{5, 1}, 0, 0});
  const absl::Status status =
      client.ComputeInto(Doubling(), {*View(buffer, {2, 3})}, {result});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(out, ElementsAre(2, 4, 6, -1, -1, 8, 10, 12));
}

TEST(ClientTest, EveryCallHasADeadline) {
  struct Row {
    ClientOptions defaults;
    CallOptions options;
    absl::Duration expected;
  };
  const Row kRows[] = {{{}, {}, absl::Seconds(60)},
                       {{absl::Seconds(5)}, {}, absl::Seconds(5)},
                       {{}, {absl::Seconds(7), {}}, absl::Seconds(7)}};
  for (const Row& row : kRows) {
    CallHeader seen;
    const Client client = ClientOf(
        [&](const CallHeader& header,
            const grpc::ByteBuffer&) -> absl::StatusOr<grpc::ByteBuffer> {
          seen = header;
          return absl::InternalError("");
        },
        row.defaults);
    const absl::Time before = absl::Now();
    EXPECT_FALSE(client.GetServerInfo(row.options).ok());
    EXPECT_GE(seen.deadline, before + row.expected);
    EXPECT_LE(seen.deadline, absl::Now() + row.expected);
    EXPECT_FALSE(seen.wait_for_ready);
  }
}

TEST(ClientTest, WaitsForReadyIfAsked) {
  bool waited = false;
  const auto handler =
      [&](const CallHeader& header,
          const grpc::ByteBuffer&) -> absl::StatusOr<grpc::ByteBuffer> {
    waited = header.wait_for_ready;
    return absl::InternalError("");
  };
  ClientOptions defaults;
  defaults.wait_for_ready = true;
  EXPECT_FALSE(ClientOf(handler, defaults).GetServerInfo().ok());
  EXPECT_TRUE(waited);
  EXPECT_FALSE(ClientOf(handler, defaults).GetServerInfo({{}, false}).ok());
  EXPECT_FALSE(waited);
}

// A call's outcomes, one after the other; the last one repeats.
struct RepeatCase {
  const char* name;
  std::vector<absl::Status> outcomes;
  int max_attempts;
  int expected_calls;
};

absl::Status ResetStream() {
  return absl::InternalError("Received RST_STREAM with error code 2");
}

class RepeatTest : public testing::TestWithParam<RepeatCase> {};

TEST_P(RepeatTest, CallsAsOftenAsItHelps) {
  const RepeatCase& row = GetParam();
  int calls = 0;
  ClientOptions options;
  options.max_attempts = row.max_attempts;
  const Client client = ClientOf(
      [&](const CallHeader&,
          const grpc::ByteBuffer&) -> absl::StatusOr<grpc::ByteBuffer> {
        const size_t i =
            std::min(static_cast<size_t>(calls++), row.outcomes.size() - 1);
        if (row.outcomes[i].ok()) return grpc::ByteBuffer(nullptr, 0);
        return row.outcomes[i];
      },
      options);
  const auto info = client.GetServerInfo({.timeout = absl::Seconds(30)});
  EXPECT_EQ(calls, row.expected_calls);
  EXPECT_EQ(info.status().code(), row.outcomes.back().code());
}

INSTANTIATE_TEST_SUITE_P(
    All, RepeatTest,
    testing::Values(
        RepeatCase{"Fine", {absl::OkStatus()}, 3, 1},
        RepeatCase{
            "FineThen", {absl::UnavailableError(""), absl::OkStatus()}, 3, 2},
        RepeatCase{"NeverFine", {absl::UnavailableError("")}, 3, 3},
        RepeatCase{"NotAllowed", {absl::UnavailableError("")}, 1, 1},
        RepeatCase{"OverALimit", {absl::ResourceExhaustedError("")}, 3, 1},
        RepeatCase{"NoRoomNow",
                   {WithRetryDelay(absl::ResourceExhaustedError(""),
                                   absl::Milliseconds(1)),
                    absl::OkStatus()},
                   3,
                   2},
        RepeatCase{"RetryPastTheDeadline",
                   {WithRetryDelay(absl::ResourceExhaustedError(""),
                                   absl::Seconds(40))},
                   3,
                   1},
        RepeatCase{"ByItsConnection",
                   {absl::CancelledError(""), absl::OkStatus()},
                   3,
                   2},
        RepeatCase{"AlwaysCancelled", {absl::CancelledError("")}, 3, 3},
        RepeatCase{"LateAccordingToTheServer",
                   {absl::DeadlineExceededError("")},
                   3,
                   1},
        RepeatCase{"ItsFault", {absl::InternalError("")}, 3, 1},
        RepeatCase{
            "ItsFaultForAWhile",
            {WithRetryDelay(absl::InternalError(""), absl::Milliseconds(1)),
             absl::OkStatus()},
            3,
            2},
        RepeatCase{"ResetByAProxy", {ResetStream(), absl::OkStatus()}, 3, 2},
        RepeatCase{"AlwaysReset", {ResetStream()}, 3, 3},
        RepeatCase{"ItsFaultWithThatText",
                   {WithErrorReason(ResetStream(), "INTERNAL")},
                   3,
                   1},
        RepeatCase{"OurFault", {absl::InvalidArgumentError("")}, 3, 1}),
    [](const auto& test) { return test.param.name; });

TEST(ClientTest, ErrorsAreTheServers) {
  absl::Status sent = absl::InvalidArgumentError("spec.results[0].shape: ...");
  sent.SetPayload("type.googleapis.com/google.rpc.BadRequest",
                  absl::Cord("details"));
  const Client client =
      ClientOf([&](const CallHeader&, const grpc::ByteBuffer&)
                   -> absl::StatusOr<grpc::ByteBuffer> { return sent; });
  const std::vector<float> buffer(6);
  std::vector<float> out(6);
  const TensorView view = *View(buffer, {2, 3});
  const MutableTensorView result = *MutableView(out, {2, 3});
  EXPECT_EQ(client.Compute(Doubling(), {view}).status(), sent);
  EXPECT_EQ(client.ComputeInto(Doubling(), {view}, {result}), sent);
  EXPECT_EQ(client.Relayout(view, {}).status(), sent);
  EXPECT_EQ(client.RelayoutInto(view, result), sent);
  EXPECT_EQ(client.Explain(Doubling()).status(), sent);
  EXPECT_EQ(client.GetServerInfo().status(), sent);
}

TEST(ClientTest, OperandsThatTheProgramDoesNotTakeAreNotRead) {
  const Client client =
      ClientOf([](const CallHeader&,
                  const grpc::ByteBuffer&) -> absl::StatusOr<grpc::ByteBuffer> {
        ADD_FAILURE() << "called";
        return absl::InternalError("");
      });
  const std::vector<float> buffer(6);
  const std::vector<double> doubles(6);
  const struct {
    std::vector<TensorView> operands;
    const char* text;
  } kRows[] = {
      {{}, "0 operands given to a program of 1"},
      {{*View(doubles, {2, 3})}, "operand 0 given as f64[2,3]{1,0}, 48 bytes"},
      {{*View(buffer, {3, 2})}, "operand 0 given as f32[3,2]"},
      {{*View(buffer, {2, 3}, DimensionOrder{{0, 1}, {}, {}})},
       "given as f32[2,3]{0,1}, 24 bytes; the program takes f32[2,3]{1,0}"}};
  for (const auto& row : kRows) {
    const absl::Status status =
        client.Compute(Doubling(), row.operands).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(row.text));
  }
  EXPECT_THAT(
      client.ComputeInto(Doubling(), {*View(buffer, {2, 3})}, {}).message(),
      HasSubstr("0 buffers given for 1 results"));
}

TEST(ClientTest, AMessageThatGrpcCannotCarryIsNotSent) {
  const Client client =
      ClientOf([](const CallHeader&,
                  const grpc::ByteBuffer&) -> absl::StatusOr<grpc::ByteBuffer> {
        ADD_FAILURE() << "called";
        return absl::InternalError("");
      });
  const auto desc = TensorDesc::Create(DType::kU8, {int64_t{1} << 32});
  // Not read, so that it need not be there.
  const std::byte nothing{};
  const auto result = client.Relayout({*desc, &nothing}, {});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(result.status().message(), HasSubstr("no more than 4294967295"));
}

TEST(ClientTest, TheSameLayoutSaidInAnotherWayIsFine) {
  const std::vector<float> buffer(6);
  const Client client =
      ClientOf([](const CallHeader&,
                  const grpc::ByteBuffer&) -> absl::StatusOr<grpc::ByteBuffer> {
        return absl::AbortedError("called");
      });
  const TensorView strided = *View(buffer, {2, 3}, ElementStrides{{3, 1}});
  EXPECT_EQ(client.Compute(Doubling(), {strided}).status().code(),
            absl::StatusCode::kAborted);
}

TEST(ClientTest, RepliesThatMakeNoSenseAreInternalErrors) {
  const TensorDesc asked = *ParseShapeString("f32[2,3]");
  const grpc::Slice garbage(std::string(50, '\xFF'));
  const grpc::ByteBuffer kReplies[] = {
      grpc::ByteBuffer(&garbage, 1),
      EncodeReply(SpecSource::kCompute, {}, {}, {}),
      ComputeReply(*ParseShapeString("f32[2,2]"), {1, 2, 3, 4}),
      ComputeReply(*ParseShapeString("f32[2,3]{0,1}"), {1, 2, 3, 4, 5, 6})};
  const std::vector<float> buffer(6);
  for (const grpc::ByteBuffer& reply : kReplies) {
    const Client client =
        ClientOf([&](const CallHeader&, const grpc::ByteBuffer&)
                     -> absl::StatusOr<grpc::ByteBuffer> { return reply; });
    std::vector<float> out(6, -1);
    const absl::Status status = client.ComputeInto(
        Doubling(), {*View(buffer, {2, 3})}, {*MutableView(out, {2, 3})});
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_THAT(out, testing::Each(-1)) << "touched";
  }
}

TEST(ClientTest, RelayoutAsksForALayoutAndATypeAndNothingElse) {
  const std::vector<uint8_t> buffer = {1, 2, 3, 4, 5, 6};
  std::vector<float> out(6);
  const Client client = ClientOf(
      [&](const CallHeader& header,
          const grpc::ByteBuffer& bytes) -> absl::StatusOr<grpc::ByteBuffer> {
        EXPECT_EQ(header.method, "/stridecast.v1.TensorCompute/Relayout");
        const auto request = DecodeRelayoutRequest(bytes);
        EXPECT_TRUE(request.ok()) << request.status();
        const Signature& signature = request->signature;
        EXPECT_EQ(signature.instructions.size(), 1u);
        const auto& convert =
            std::get<ConvertAttribute>(signature.instructions[0].attribute);
        EXPECT_EQ(convert.type, DType::kF32);
        const auto desc =
            TensorDesc::Create(DType::kF32, {2, 3}, signature.results[0].form);
        return EncodeReply(SpecSource::kRelayout, {*desc}, {Encoding::kRaw},
                           {SliceOf({1, 4, 2, 5, 3, 6})});
      });
  const DimensionOrder column_major{{0, 1}, {}, {}};
  const TensorView operand = *View(buffer, {2, 3});
  const auto owned =
      client.Relayout(operand, column_major, ConvertAttribute{DType::kF32});
  ASSERT_TRUE(owned.ok()) << owned.status();
  EXPECT_EQ(owned->at<float>({1, 0}), 4);
  const absl::Status status =
      client.RelayoutInto(operand, *MutableView(out, {2, 3}, column_major));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(out, ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(ClientTest, ExplainsWithoutData) {
  v1::Plan plan;
  auto* operand = plan.add_operands();
  operand->mutable_desc()->set_type(v1::F32);
  operand->mutable_desc()->add_dimensions(6);
  operand->set_streaming(v1::TensorPlan::STREAMED);
  plan.set_scratch_bytes(128);
  plan.set_text("pass 0");
  const Client client = ClientOf(
      [&](const CallHeader& header,
          const grpc::ByteBuffer& bytes) -> absl::StatusOr<grpc::ByteBuffer> {
        EXPECT_EQ(header.method, "/stridecast.v1.TensorCompute/Explain");
        EXPECT_TRUE(DecodeExplainRequest(bytes).ok());
        return ToBuffer(plan);
      });
  const auto explanation = client.Explain(Doubling());
  ASSERT_TRUE(explanation.ok()) << explanation.status();
  ASSERT_EQ(explanation->operands.size(), 1u);
  EXPECT_EQ(explanation->operands[0].desc.ToString(), "f32[6]{0}");
  EXPECT_TRUE(explanation->operands[0].is_streamed);
  EXPECT_EQ(explanation->scratch_bytes, 128);
  EXPECT_EQ(explanation->text, "pass 0");
}

TEST(ClientTest, ReadsServerInfoOfNewerServersToo) {
  v1::GetServerInfoResponse response;
  response.set_version("1.2.3");
  (*response.mutable_limits())["max_rank"] = 16;
  auto* row = response.add_operations();
  row->set_opcode(v1::Instruction::ADD);
  row->add_types(v1::F32);
  row->add_types(static_cast<v1::DType>(33));
  response.add_operations()->set_opcode(
      static_cast<v1::Instruction::Opcode>(999));
  const Client client = ClientOf(
      [&](const CallHeader&,
          const grpc::ByteBuffer&) -> absl::StatusOr<grpc::ByteBuffer> {
        return ToBuffer(response);
      });
  const auto info = client.GetServerInfo();
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->version, "1.2.3");
  EXPECT_EQ(info->limits.at("max_rank"), 16);
  EXPECT_EQ(info->operations[0].operation, "ADD");
  EXPECT_THAT(info->operations[0].types, ElementsAre(DType::kF32));
  EXPECT_EQ(info->operations[1].operation, "opcode 999");
}

TEST(ClientTest, ReturnsWhenNobodyReadsTheOperandsAnyMore) {
  const std::vector<float> buffer(1 << 16);
  ProgramBuilder b;
  b.Result(b.Parameter(*TensorDesc::Create(DType::kF32, {1 << 16})));
  bool released = false;
  std::thread writer;
  const Client client = ClientOf(
      [&](const CallHeader&,
          const grpc::ByteBuffer& bytes) -> absl::StatusOr<grpc::ByteBuffer> {
        // As a transport that still writes when the deadline has passed.
        writer = std::thread([&released, kept = bytes]() mutable {
          absl::SleepFor(absl::Milliseconds(100));
          released = true;
          kept.Clear();
        });
        return absl::DeadlineExceededError("");
      });
  EXPECT_FALSE(client.Compute(*b.Build(), {*View(buffer, {1 << 16})}).ok());
  EXPECT_TRUE(released);
  writer.join();
}

TEST(MessageLeaseTest, LendsTheSameBytes) {
  const grpc::Slice parts[] = {grpc::Slice("ab"),  // stored in the slice itself
                               grpc::Slice(std::string(1000, 'x'))};
  MessageLease lease(grpc::ByteBuffer(parts, 2));
  grpc::Slice whole;
  ASSERT_TRUE(lease.message().DumpToSingleSlice(&whole).ok());
  EXPECT_EQ(std::string(whole.begin(), whole.end()),
            "ab" + std::string(1000, 'x'));
  EXPECT_TRUE(lease.TryEnd());
  EXPECT_FALSE(lease.message().Valid());
}

TEST(MessageLeaseTest, EndsWithTheLastReference) {
  const grpc::Slice part(std::string(1000, 'x'));
  MessageLease lease(grpc::ByteBuffer(&part, 1));
  std::vector<grpc::Slice> kept;
  ASSERT_TRUE(lease.message().Dump(&kept).ok());
  EXPECT_FALSE(lease.TryEnd());
  kept.clear();
  EXPECT_TRUE(lease.TryEnd());
}

}  // namespace
}  // namespace stridecast
