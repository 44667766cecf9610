// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// seeds DIRECTORY: writes the example table there as inputs of request_fuzzer,
// each once with raw and once with typed payloads, and the messages of it as a
// stream.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/stream_codec.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

// A Compute request, and one of a ComputeStream, in slices of 256 bytes.
constexpr char kCompute = static_cast<char>(0x82);
constexpr char kComputeStream = static_cast<char>(0x83);

// An input of the fuzzer; empty if there is no message.
std::string Input(char first_byte, const grpc::ByteBuffer& message) {
  grpc::Slice slice;
  if (!message.DumpToSingleSlice(&slice).ok()) return "";
  return first_byte + std::string(slice.begin(), slice.end());
}

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
  return Input(kCompute, EncodeComputeRequest(example.signature, payloads,
                                              encodings, typed));
}

// Operand `index`, whole.
std::string Chunk(const Example& example, size_t index) {
  const Bytes bytes = EncodeNumbers(example.signature.operands[index].type(),
                                    example.operands[index]);
  const grpc::Slice data(bytes.data(), bytes.size());
  return Input(kComputeStream, EncodeStreamOperand(static_cast<uint32_t>(index),
                                                   0, {&data, 1}));
}

// By name.
std::map<std::string, std::string> InputsOf(const Example& example) {
  std::map<std::string, std::string> inputs = {
      {"raw", Request(example, false)},
      {"typed", Request(example, true)},
      {"begin", Input(kComputeStream, EncodeStreamBegin(example.signature))}};
  for (size_t i = 0; i < example.operands.size(); ++i) {
    inputs[absl::StrCat("chunk_", i)] = Chunk(example, i);
  }
  return inputs;
}

int WriteAll(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  for (const Example& example : AllExamples()) {
    for (const auto& [name, input] : InputsOf(example)) {
      const auto path = directory / absl::StrCat(example.name, "_", name);
      std::ofstream file(path, std::ios::binary);
      file << input;
      file.close();
      if (input.empty() || !file) {
        std::cerr << "seeds: cannot write " << path << "\n";
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
