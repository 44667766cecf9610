// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The example table for callers that speak JSON:
//   examples_tool list            the names, one per line
//   examples_tool request NAME    the ComputeRequest, typed payloads, as JSON
//   examples_tool check NAME EXIT_CODE < OUTPUT
//       whether grpcurl's exit code and output are what the table wants; says
//       what is not, and exits with 1
// Driven by grpcurl_test.sh.

#include <cstring>
#include <iostream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/util/json_util.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "proto/wire/request_codec.h"
#include "stridecast/v1/service.pb.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

// What grpcurl adds to the code of a failed call.
constexpr int kGrpcurlStatusBase = 64;

const Example* Find(absl::string_view name) {
  for (const Example& example : AllExamples()) {
    if (example.name == name) return &example;
  }
  return nullptr;
}

std::vector<Bytes> OperandBytes(const Example& example) {
  std::vector<Bytes> bytes;
  for (size_t i = 0; i < example.operands.size(); ++i) {
    bytes.push_back(EncodeNumbers(example.signature.operands[i].type(),
                                  example.operands[i]));
  }
  return bytes;
}

int PrintRequest(const Example& example) {
  const std::vector<Bytes> bytes = OperandBytes(example);
  std::vector<SegmentedBytes> payloads;
  for (const Bytes& operand : bytes) {
    payloads.emplace_back(reinterpret_cast<const std::byte*>(operand.data()),
                          static_cast<int64_t>(operand.size()));
  }
  // A program without operands has nothing typed to answer in kind to.
  const Encoding encoding =
      payloads.empty() ? Encoding::kTyped : Encoding::kAuto;
  const std::vector<Encoding> encodings(example.signature.results.size(),
                                        encoding);
  grpc::ByteBuffer message = EncodeComputeRequest(
      example.signature, payloads, encodings, /*typed_payloads=*/true);
  grpc::ProtoBufferReader reader(&message);
  v1::ComputeRequest request;
  if (!request.ParseFromZeroCopyStream(&reader)) {
    std::cerr << "the encoded request does not parse\n";
    return 1;
  }
  std::string json;
  const auto status =
      google::protobuf::util::MessageToJsonString(request, &json);
  if (!status.ok()) {
    std::cerr << status.ToString() << "\n";
    return 1;
  }
  std::cout << json << "\n";
  return 0;
}

int CheckRefusal(const Example& example, int exit_code,
                 const std::string& output) {
  int faults = 0;
  const int expected = kGrpcurlStatusBase + static_cast<int>(example.code);
  if (exit_code != expected) {
    std::cerr << "exit code " << exit_code << ", expected " << expected << "\n";
    ++faults;
  }
  for (const std::string& text : example.texts) {
    if (!absl::StrContains(output, text)) {
      std::cerr << "missing: " << text << "\n";
      ++faults;
    }
  }
  return faults == 0 ? 0 : 1;
}

// protobuf's JSON reader takes "-0" for an integer, and so for 0.
std::string WithFloatingMinusZeros(const std::string& json) {
  static const std::regex kMinusZero("-0(?=[,\\s\\]])");
  return std::regex_replace(json, kMinusZero, "-0.0");
}

int CheckAnswer(const Example& example, const std::string& output) {
  v1::ComputeResponse response;
  const auto status = google::protobuf::util::JsonStringToMessage(
      WithFloatingMinusZeros(output), &response);
  if (!status.ok()) {
    std::cerr << "not a ComputeResponse: " << status.ToString() << "\n";
    return 1;
  }
  // Through the client's decoder, so that typed lists become bytes again.
  const std::string serialized = response.SerializeAsString();
  const grpc::Slice slice(serialized);
  const auto decoded = DecodeComputeResponse(grpc::ByteBuffer(&slice, 1));
  if (!decoded.ok()) {
    std::cerr << decoded.status() << "\n";
    return 1;
  }
  if (decoded->results.size() != example.results.size()) {
    std::cerr << decoded->results.size() << " results, expected "
              << example.results.size() << "\n";
    return 1;
  }
  for (size_t i = 0; i < example.results.size(); ++i) {
    const DType type = decoded->results[i].type();
    const Bytes expected = EncodeNumbers(type, example.results[i]);
    Bytes actual(static_cast<size_t>(decoded->payloads[i].size_bytes()));
    decoded->payloads[i].CopyTo(0, decoded->payloads[i].size_bytes(),
                                reinterpret_cast<std::byte*>(actual.data()));
    if (actual != expected) {
      std::cerr << "result " << i << " is " << NumbersToString(type, actual)
                << ", expected " << NumbersToString(type, expected) << "\n";
      return 1;
    }
  }
  return 0;
}

int Check(const Example& example, int exit_code) {
  const std::string output{std::istreambuf_iterator<char>(std::cin), {}};
  int outcome = 0;
  if (example.code != absl::StatusCode::kOk) {
    outcome = CheckRefusal(example, exit_code, output);
  } else if (exit_code != 0) {
    std::cerr << "exit code " << exit_code << "\n";
    outcome = 1;
  } else {
    outcome = CheckAnswer(example, output);
  }
  if (outcome != 0) {
    std::cerr << "FAILED " << example.name << ", output:\n" << output << "\n";
  }
  return outcome;
}

int Main(const std::vector<std::string>& args) {
  if (args.size() == 1 && args[0] == "list") {
    for (const Example& example : AllExamples()) {
      std::cout << example.name << "\n";
    }
    return 0;
  }
  const Example* example = args.size() > 1 ? Find(args[1]) : nullptr;
  int exit_code = 0;
  if (example != nullptr && args[0] == "request" && args.size() == 2) {
    return PrintRequest(*example);
  }
  if (example != nullptr && args[0] == "check" && args.size() == 3 &&
      absl::SimpleAtoi(args[2], &exit_code)) {
    return Check(*example, exit_code);
  }
  std::cerr << "examples_tool list | request NAME | check NAME EXIT_CODE\n";
  return 2;
}

}  // namespace
}  // namespace stridecast::testing

int main(int argc, char** argv) {
  return stridecast::testing::Main({argv + 1, argv + argc});
}
