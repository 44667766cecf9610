// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Requests that are wrong: each gets its code and a text that names the field,
// and the server goes on.

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "server/call.h"
#include "tests/service/service_testing.h"
#include "tests/service/unsent_call.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;

struct BadRequest {
  const char* name;
  const char* request;  // text format
  absl::StatusCode code;
  const char* text;  // how the message begins
};

template <typename Request>
void ExpectRefused(TestServer& server, const std::string& method,
                   const BadRequest& bad) {
  SCOPED_TRACE(bad.name);
  const std::string bytes = FromText<Request>(bad.request).SerializeAsString();
  const absl::Status status =
      CallRaw(server.channel(), method, ToByteBuffer(bytes)).status();
  EXPECT_EQ(status.code(), bad.code) << status;
  EXPECT_THAT(std::string(status.message()), StartsWith(bad.text));
}

bool Serves(TestServer& server) {
  grpc::ClientContext context;
  v1::ComputeResponse response;
  return server.stub().Compute(&context, IdentityRequest(4), &response).ok();
}

void ExpectServes(TestServer& server) { EXPECT_TRUE(Serves(server)); }

TEST(ErrorsTest, ComputeNamesTheField) {
  TestServer server;
  const BadRequest cases[] = {
      {"NoSpec", "", kInvalid, "spec: "},
      {"NoResults", "spec { operands { type: F32 } } payloads { floats: 1 }",
       kInvalid, "spec.results: "},
      {"TypedTooLarge",
       "spec { operands { type: U8 dimensions: 2097152 strides { strides: 0 } }"
       "  results { encoding: TYPED } } payloads { raw: 'a' }",
       kInvalid, "spec.results[0].encoding: "},
      {"AllTypedTooLarge",
       "spec { operands { type: U8 dimensions: 700000 strides { strides: 0 } }"
       "  results {} results {} } payloads { uint32s: 1 }",
       kInvalid, "spec.results[1].encoding: "},
      {"TypeMissing", "spec { operands { dimensions: 2 } results {} }",
       kInvalid, "spec.operands[0].type: "},
      {"TypeUnknown", "spec { operands { type: 99 } results {} }", kInvalid,
       "spec.operands[0].type: "},
      {"NegativeExtent",
       "spec { operands { type: F32 dimensions: [2, -1] } results {} }",
       kInvalid, "spec.operands[0].dimensions[1]: "},
      {"LeastInt64Extent",
       "spec { operands { type: F32 dimensions: -9223372036854775808 } "
       "results {} }",
       kInvalid, "spec.operands[0].dimensions[0]: "},
      {"ElementsOverflow",
       "spec { operands { type: F32 dimensions: [4294967296, 4294967296] } "
       "results {} }",
       kInvalid, "spec.operands[0].dimensions"},
      {"RankTooHigh",
       "spec { operands { type: F32 dimensions: "
       "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] } results {} }",
       kInvalid, "spec.operands[0].dimensions: "},
      {"TooFewStrides",
       "spec { operands { type: F32 dimensions: [2, 3, 4] strides { strides: "
       "[4, 1] } } results {} }",
       kInvalid, "spec.operands[0].strides.strides: 2 entries for rank 3"},
      {"StridesOverflow",
       "spec { operands { type: F64 dimensions: [3, 3] strides { strides: "
       "[4611686018427387904, 1] } } results {} }",
       kInvalid, "spec.operands[0].strides"},
      {"OffsetBeforeBuffer",
       "spec { operands { type: F32 dimensions: 3 strides { strides: -1 } } "
       "results {} }",
       kInvalid, "spec.operands[0].strides"},
      {"NotAPermutation",
       "spec { operands { type: F32 dimensions: [2, 3] layout { "
       "minor_to_major: [0, 0] } } results {} }",
       kInvalid, "spec.operands[0].layout.minor_to_major"},
      {"PaddedBelowExtent",
       "spec { operands { type: F32 dimensions: [2, 3] layout { "
       "minor_to_major: [1, 0] padded_dimensions: [2, 2] } } results {} }",
       kInvalid, "spec.operands[0].layout.padded_dimensions"},
      {"PayloadMissing",
       "spec { operands { type: F32 dimensions: 2 } results {} }", kInvalid,
       "payloads: "},
      {"OnePayloadTooMany",
       "spec { operands { type: F32 } results {} } payloads { floats: 1 } "
       "payloads { floats: 1 }",
       kInvalid, "payloads: "},
      {"RawTooShort",
       "spec { operands { type: F32 dimensions: 2 } results {} } "
       "payloads { raw: \"1234567\" }",
       kInvalid, "payloads[0].raw: "},
      {"RawTooLong",
       "spec { operands { type: F16 dimensions: 2 } results {} } "
       "payloads { raw: \"12345678\" }",
       kInvalid, "payloads[0].raw: "},
      {"TooFewEntries",
       "spec { operands { type: F32 dimensions: 2 } results {} } "
       "payloads { floats: 1 }",
       kInvalid, "payloads[0].floats: "},
      {"ListOfAnotherType",
       "spec { operands { type: F32 dimensions: 1 } results {} } "
       "payloads { doubles: 1 }",
       kInvalid, "payloads[0].doubles: "},
      {"EntryOutOfRange",
       "spec { operands { type: S8 dimensions: 2 } results {} } "
       "payloads { sint32s: [1, 128] }",
       kInvalid, "payloads[0].sint32s[1]: "},
      {"TwoListsSet",
       "spec { operands { type: F32 dimensions: 1 } results {} } "
       "payloads { raw: \"1234\" floats: 1 }",
       kInvalid, "payloads[0]"},
      {"OpcodeMissing",
       "spec { operands { type: F32 } instructions { operands: 0 } results {} "
       "} payloads { floats: 1 }",
       kInvalid, "spec.instructions[0].opcode: "},
      {"OpcodeUnknown",
       "spec { operands { type: F32 } instructions { opcode: 9999 operands: 0 "
       "} results {} } payloads { floats: 1 }",
       kUnimplemented, "spec.instructions[0].opcode: "},
      {"OperandOfTheFuture",
       "spec { operands { type: F32 } instructions { opcode: NEGATE operands: "
       "1 } results {} } payloads { floats: 1 }",
       kInvalid, "spec.instructions[0].operands[0] (NEGATE): "},
      {"OperandMissing",
       "spec { operands { type: F32 } instructions { opcode: ADD operands: 0 } "
       "results {} } payloads { floats: 1 }",
       kInvalid, "spec.instructions[0].operands (ADD): "},
      {"ShapesDoNotBroadcast",
       "spec { operands { type: F32 dimensions: 2 } operands { type: F32 "
       "dimensions: 3 } instructions { opcode: ADD operands: [0, 1] } "
       "results {} } payloads { floats: [1, 2] } payloads { floats: [1,2,3] }",
       kInvalid, "spec.instructions[0]"},
      {"AttributeOfAnotherForm",
       "spec { operands { type: F32 } instructions { opcode: NEGATE operands: "
       "0 convert { type: S8 } } results {} } payloads { floats: 1 }",
       kInvalid, "spec.instructions[0].convert (NEGATE): "},
      {"ResultOfNoValue",
       "spec { operands { type: F32 } results { value: 7 } } "
       "payloads { floats: 1 }",
       kInvalid, "spec.results[0].value: "},
      {"ResultOfAnotherType",
       "spec { operands { type: F32 } results { type: F64 } } "
       "payloads { floats: 1 }",
       kInvalid, "spec.results[0].type: "},
      {"ResultOverlapsItself",
       "spec { operands { type: F32 dimensions: 3 } results { strides { "
       "strides: 0 } } } payloads { floats: [1, 2, 3] }",
       kInvalid, "spec.results[0].strides"},
      {"EncodingUnknown",
       "spec { operands { type: F32 } results { encoding: 9 } } "
       "payloads { floats: 1 }",
       kInvalid, "spec.results[0].encoding: "},
      {"ResultOfATerabyte",
       "spec { operands { type: F32 } instructions { opcode: BROADCAST_IN_DIM "
       "operands: 0 broadcast_in_dim { shape { dimensions: [1048576, 262144] } "
       "} } results {} } payloads { floats: 1 }",
       kExhausted, "spec.results"},
      {"OneByOneOuterSumOfATerabyte",
       "spec { operands { type: PRED dimensions: [1000, 1] strides { strides: "
       "[0, 0] } } operands { type: PRED dimensions: [1, 1000] strides { "
       "strides: [0, 0] } } instructions { opcode: BROADCAST_IN_DIM operands: "
       "0 broadcast_in_dim { shape { dimensions: [1000, 1073741824] } "
       "dimensions: [0, 1] } } results {} } payloads { bools: true } "
       "payloads { bools: true }",
       kExhausted, "spec.results"},
  };
  for (const BadRequest& bad : cases) {
    ExpectRefused<v1::ComputeRequest>(server, "Compute", bad);
  }
  ExpectServes(server);
}

TEST(ErrorsTest, RelayoutAndExplainNameTheirOwnFields) {
  TestServer server;
  const BadRequest relayouts[] = {
      {"NoOperand", "", kInvalid, "operand: "},
      {"NegativeExtent", "operand { type: F32 dimensions: -1 }", kInvalid,
       "operand.dimensions[0]: "},
      {"PayloadTooShort",
       "operand { type: F32 dimensions: 2 } payload { raw: \"1\" }", kInvalid,
       "payload.raw: "},
      {"ValueSet",
       "operand { type: F32 } result { value: 0 } payload { floats: 1 }",
       kInvalid, "result.value: "},
      {"BadResultLayout",
       "operand { type: F32 dimensions: 2 } result { layout { minor_to_major: "
       "1 } } payload { floats: [1, 2] }",
       kInvalid, "result.layout.minor_to_major"},
      {"BadConvert", "operand { type: F32 } convert { } payload { floats: 1 }",
       kInvalid, "convert.type: "},
  };
  for (const BadRequest& bad : relayouts) {
    ExpectRefused<v1::RelayoutRequest>(server, "Relayout", bad);
  }
  const BadRequest explains[] = {
      {"NoCall", "", kInvalid, "call: "},
      {"Compute", "compute { operands { dimensions: 1 } results {} }", kInvalid,
       "compute.operands[0].type: "},
      {"ComputeResult",
       "compute { operands { type: F32 } results { value: 3 } }", kInvalid,
       "compute.results[0].value: "},
      {"Relayout",
       "relayout { operand { type: F32 dimensions: 2 } result { strides { "
       "strides: 0 } } }",
       kInvalid, "relayout.result.strides"},
  };
  for (const BadRequest& bad : explains) {
    ExpectRefused<v1::ExplainRequest>(server, "Explain", bad);
  }
  ExpectServes(server);
}

TEST(ErrorsTest, CountLimits) {
  TestServer server;
  v1::ComputeRequest many_instructions = IdentityRequest(1);
  for (int i = 0; i < 256; ++i) {
    auto& added = *many_instructions.mutable_spec()->add_instructions();
    added.set_opcode(v1::Instruction::NEGATE);
    added.add_operands(static_cast<uint32_t>(i));
  }
  v1::ComputeRequest many_operands = IdentityRequest(1);
  for (int i = 0; i < 64; ++i) {
    *many_operands.mutable_spec()->add_operands() =
        many_operands.spec().operands(0);
    *many_operands.add_payloads() = many_operands.payloads(0);
  }
  v1::ComputeRequest many_results = IdentityRequest(1);
  for (int i = 0; i < 64; ++i) many_results.mutable_spec()->add_results();
  const std::pair<v1::ComputeRequest, const char*> cases[] = {
      {many_instructions, "spec.instructions: 257"},
      {many_operands, "spec.operands: 65"},
      {many_results, "spec.results: 65"},
  };
  for (const auto& [request, text] : cases) {
    const absl::Status status =
        CallRaw(server.channel(), "Compute",
                ToByteBuffer(request.SerializeAsString()))
            .status();
    EXPECT_EQ(status.code(), kInvalid) << status;
    EXPECT_THAT(std::string(status.message()), StartsWith(text));
  }
}

TEST(ErrorsTest, DetailsAreMachineReadable) {
  TestServer server;
  grpc::ClientContext context;
  v1::ComputeResponse response;
  const grpc::Status status = server.stub().Compute(
      &context,
      FromText<v1::ComputeRequest>("spec { operands { type: F32 dimensions: "
                                   "[2, -1] } results {} }"),
      &response);
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  google::rpc::BadRequest bad_request;
  google::rpc::ErrorInfo info;
  for (const auto& detail : details.details()) {
    detail.UnpackTo(&bad_request);
    detail.UnpackTo(&info);
  }
  ASSERT_EQ(bad_request.field_violations_size(), 1);
  EXPECT_EQ(bad_request.field_violations(0).field(),
            "spec.operands[0].dimensions[1]");
  EXPECT_EQ(info.domain(), "stridecast");
  EXPECT_EQ(info.reason(), "INVALID_ARGUMENT");
}

// Each method, with a field that it does not know.
TEST(ErrorsTest, UnknownFieldsAreNamed) {
  TestServer server;
  const std::string field_99 = {'\x98', '\x06', '\x01'};  // varint 1
  for (const char* method :
       {"Compute", "Relayout", "Explain", "GetServerInfo"}) {
    const absl::Status status =
        CallRaw(server.channel(), method, ToByteBuffer(field_99)).status();
    EXPECT_EQ(status.code(), kInvalid) << method << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("99")) << method;
  }
}

TEST(ErrorsTest, AnyBytesAreAnswered) {
  TestServer server;
  const std::string valid = IdentityRequest(100).SerializeAsString();
  std::mt19937 random(20260101);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = valid;
    if (i % 3 == 0) bytes.resize(random() % bytes.size());
    if (i % 3 == 1) {
      for (char& byte : bytes) byte = static_cast<char>(random());
      bytes.resize(random() % 200);
    }
    for (uint32_t k = 0; k < random() % 4 && !bytes.empty(); ++k) {
      bytes[random() % std::min<size_t>(bytes.size(), 60)] =
          static_cast<char>(random());
    }
    const char* method = i % 4 == 0   ? "Relayout"
                         : i % 4 == 1 ? "Explain"
                                      : "Compute";
    const absl::Status status =
        CallRaw(server.channel(), method, ToByteBuffer(bytes)).status();
    EXPECT_TRUE(status.ok() || status.code() == kInvalid ||
                status.code() == kUnimplemented || status.code() == kExhausted)
        << "request " << i << ": " << status;
  }
  ExpectServes(server);
}

TEST(ErrorsTest, MessageOverTheLimitNamesTheFlagAndBothSizes) {
  ServerOptions options = TestOptions();
  options.max_message_bytes = 10'000;
  TestServer server(options);
  for (const int64_t num_floats : {4'000, 4'000'000}) {
    const std::string bytes = IdentityRequest(num_floats).SerializeAsString();
    const absl::Status status =
        CallRaw(server.channel(), "Compute", ToByteBuffer(bytes)).status();
    EXPECT_EQ(status.code(), kExhausted);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("the message has ", bytes.size(),
                                       " bytes, more than --max-message-bytes "
                                       "10000")));
  }
  ExpectServes(server);
}

TEST(ErrorsTest, StatedBytesAreRefusedBeforeTheyAreSent) {
  ServerOptions options = TestOptions();
  options.max_message_bytes = 10'000'000;
  options.max_inflight_bytes = 5'000'000;
  TestServer server(options);
  const absl::Status over_limit =
      FromGrpcStatus(UnsentCall(server, 10'000'001).End());
  EXPECT_EQ(over_limit.code(), kExhausted);
  EXPECT_THAT(std::string(over_limit.message()),
              HasSubstr("the message has 10000001 bytes, more than "
                        "--max-message-bytes 10000000"));
  const absl::Status over_budget =
      FromGrpcStatus(UnsentCall(server, 5'000'001).End());
  EXPECT_EQ(over_budget.code(), kExhausted);
  EXPECT_THAT(std::string(over_budget.message()),
              HasSubstr("--max-inflight-bytes 5000000"));
}

// Neither is relied on.
TEST(ErrorsTest, WronglyStatedBytesAreCorrected) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 1'000'000;
  TestServer server(options);
  for (const char* stated : {"0", "7", "900000", "-1", "many", ""}) {
    grpc::ClientContext context;
    context.AddMetadata(kRequestBytesKey, stated);
    EXPECT_TRUE(CallRaw(server.channel(), "Compute",
                        ToByteBuffer(IdentityRequest(100).SerializeAsString()),
                        context)
                    .ok())
        << stated;
  }
  EXPECT_EQ(CallRaw(server.channel(), "Compute",
                    ToByteBuffer(IdentityRequest(200'000).SerializeAsString()))
                .status()
                .code(),
            kExhausted);
}

// Before anything is computed, or memory taken.
TEST(ErrorsTest, ResultsOverTheLimitAreRefused) {
  ServerOptions options = TestOptions();
  options.max_result_bytes = 1000;
  TestServer server(options);
  for (const int count : {1000, 1001}) {
    grpc::ClientContext context;
    v1::ComputeResponse response;
    auto request = FromText<v1::ComputeRequest>(
        "spec { instructions { opcode: IOTA iota { type: U8 } } results {} }");
    request.mutable_spec()
        ->mutable_instructions(0)
        ->mutable_iota()
        ->mutable_shape()
        ->add_dimensions(count);
    const grpc::Status status =
        server.stub().Compute(&context, request, &response);
    if (count == 1000) {
      EXPECT_TRUE(status.ok()) << status.error_message();
      continue;
    }
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_THAT(status.error_message(),
                HasSubstr("u8[1001] needs 1001 bytes; the limit is 1000"));
  }
}

TEST(ErrorsTest, ACallWithoutAMessageIsAnswered) {
  TestServer server;
  UnsentCall call(server, 0);
  call.HalfClose();
  const absl::Status status = FromGrpcStatus(call.End());
  EXPECT_EQ(status.code(), kInvalid);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("ended before its message"));
}

// It would hold a part of the budget for ever.
TEST(ErrorsTest, ASilentCallIsEnded) {
  ServerOptions options = TestOptions();
  options.default_deadline_seconds = 1;
  options.max_inflight_bytes = kUnstatedRequestBytes;
  TestServer server(options);
  UnsentCall call(server.channel(), std::nullopt, kComputePath,
                  /*deadline_seconds=*/std::nullopt);
  const absl::Status status = FromGrpcStatus(call.End());
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("a call without a deadline may take 1 s"));
  // The server lets go of it a moment after the caller knows.
  EXPECT_TRUE(WaitUntil([&] { return Serves(server); }));
}

TEST(ErrorsTest, UnknownMethodsAreNamed) {
  TestServer server;
  for (const std::string path :
       {"/stridecast.v1.TensorCompute/Nothing", "/a", "/"}) {
    UnsentCall call(server.channel(), std::nullopt, path);
    const grpc::Status status = call.End();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
    EXPECT_EQ(status.error_message(), absl::StrCat("no method ", path));
  }
  const std::string path = absl::StrCat("/", std::string(300, 'x'));
  EXPECT_EQ(
      UnsentCall(server.channel(), std::nullopt, path).End().error_message(),
      absl::StrCat("no method ", path.substr(0, 200)));
  ExpectServes(server);
}

TEST(ErrorsTest, CompressedMessagesAreRefused) {
  TestServer server;
  for (const grpc_compression_algorithm algorithm :
       {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    v1::ComputeResponse response;
    const grpc::Status status =
        server.stub().Compute(&context, IdentityRequest(10'000), &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED)
        << status.error_message();
  }
  ExpectServes(server);
}

}  // namespace
}  // namespace stridecast::testing
