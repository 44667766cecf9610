// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/wire/wire_test_util.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "google/protobuf/text_format.h"
#include "grpcpp/support/slice.h"

namespace stridecast::testing {

void ParseText(absl::string_view text, google::protobuf::Message* message) {
  if (!google::protobuf::TextFormat::ParseFromString(std::string(text),
                                                     message)) {
    std::cerr << "not a message in text format: " << text << "\n";
    std::abort();
  }
}

grpc::ByteBuffer ToByteBuffer(absl::string_view bytes, size_t slice_bytes) {
  std::vector<grpc::Slice> slices;
  while (!bytes.empty()) {
    slices.emplace_back(std::string(bytes.substr(0, slice_bytes)));
    bytes.remove_prefix(std::min(slice_bytes, bytes.size()));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

grpc::ByteBuffer ToByteBuffer(const google::protobuf::Message& message,
                              size_t slice_bytes) {
  return ToByteBuffer(message.SerializeAsString(), slice_bytes);
}

std::string ToBytes(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

std::string ToBytes(const SegmentedBytes& bytes) {
  std::string text(static_cast<size_t>(bytes.size_bytes()), '\0');
  bytes.CopyTo(0, bytes.size_bytes(),
               reinterpret_cast<std::byte*>(text.data()));
  return text;
}

SegmentedBytes ViewOf(absl::string_view bytes) {
  return SegmentedBytes(reinterpret_cast<const std::byte*>(bytes.data()),
                        static_cast<int64_t>(bytes.size()));
}

std::string ReadGolden(const std::string& name) {
  std::ifstream file(absl::StrCat(STRIDECAST_GOLDEN_DIR, "/", name));
  EXPECT_TRUE(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string GoldenBytes(const std::string& name) {
  return absl::HexStringToBytes(absl::StrReplaceAll(
      ReadGolden(absl::StrCat(name, ".hex")), {{" ", ""}, {"\n", ""}}));
}

}  // namespace stridecast::testing
