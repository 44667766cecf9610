// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// seeds DIRECTORY: writes the example table there as inputs of request_fuzzer,
// each once with raw and once with typed payloads.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/request_codec.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

// A Compute request in slices of 256 bytes.
constexpr char kFirstByte = static_cast<char>(0x82);

std::string Request(const Example& example, bool typed) {
  std::vector<Bytes> bytes;
  for (size_t i = 0; i < example.operands.size(); ++i) {
    bytes.push_back(EncodeNumbers(example.signature.operands[i].type(),
                                  example.operands[i]));
  }
  std::vector<SegmentedBytes> payloads;
  for (const Bytes& operand : bytes) {
    payloads.emplace_back(reinterpret_cast<const std::byte*>(operand.data()),
                          static_cast<int64_t>(operand.size()));
  }
  const std::vector<Encoding> encodings(
      example.signature.results.size(),
      typed ? Encoding::kTyped : Encoding::kRaw);
  grpc::Slice message;
  const bool ok =
      EncodeComputeRequest(example.signature, payloads, encodings, typed)
          .DumpToSingleSlice(&message)
          .ok();
  if (!ok) return "";
  return kFirstByte + std::string(message.begin(), message.end());
}

int WriteAll(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  for (const Example& example : AllExamples()) {
    for (const bool typed : {false, true}) {
      const std::string name = example.name + (typed ? "_typed" : "_raw");
      const std::string request = Request(example, typed);
      std::ofstream file(directory / name, std::ios::binary);
      file << request;
      file.close();
      if (request.empty() || !file) {
        std::cerr << "seeds: cannot write " << directory / name << "\n";
        return 1;
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace stridecast::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: seeds DIRECTORY\n";
    return 2;
  }
  return stridecast::testing::WriteAll(argv[1]);
}
