// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The bytes of a tensor in pieces.

#include "stridecast/segments.h"

#include <cstring>
#include <string>

#include "gtest/gtest.h"

namespace stridecast {
namespace {

const std::byte* BytesOf(const char* text) {
  return reinterpret_cast<const std::byte*>(text);
}

std::string Copied(const SegmentedBytes& bytes, int64_t begin, int64_t count) {
  std::string copy(static_cast<size_t>(count), '?');
  bytes.CopyTo(begin, count, reinterpret_cast<std::byte*>(copy.data()));
  return copy;
}

TEST(SegmentedBytesTest, PiecesReadAsOneSequence) {
  SegmentedBytes bytes;
  bytes.Append(BytesOf("abc"), 3);
  bytes.Append(BytesOf("d"), 1);
  bytes.Append(BytesOf("efgh"), 4);
  EXPECT_EQ(bytes.size_bytes(), 8);
  EXPECT_FALSE(bytes.IsOnePiece());
  ASSERT_EQ(bytes.segments().size(), 3u);
  EXPECT_EQ(bytes.segments()[2].begin, 4);
  EXPECT_EQ(Copied(bytes, 0, 8), "abcdefgh");
}

TEST(SegmentedBytesTest, CopiesEveryRange) {
  const std::string whole = "abcdefgh";
  SegmentedBytes bytes;
  bytes.Append(BytesOf("abc"), 3);
  bytes.Append(BytesOf("d"), 1);
  bytes.Append(BytesOf("efgh"), 4);
  for (size_t begin = 0; begin <= whole.size(); ++begin) {
    for (size_t count = 0; begin + count <= whole.size(); ++count) {
      EXPECT_EQ(Copied(bytes, static_cast<int64_t>(begin),
                       static_cast<int64_t>(count)),
                whole.substr(begin, count));
    }
  }
}

TEST(SegmentedBytesTest, EmptyPiecesLeaveNoSegment) {
  SegmentedBytes bytes;
  EXPECT_EQ(bytes.data(), nullptr);
  EXPECT_EQ(bytes.size_bytes(), 0);
  EXPECT_TRUE(bytes.IsOnePiece());
  bytes.Append(BytesOf("xyz"), 0);
  EXPECT_TRUE(bytes.segments().empty());
  const char* text = "ab";
  bytes.Append(BytesOf(text), 2);
  bytes.Append(BytesOf("xyz"), 0);
  EXPECT_TRUE(bytes.IsOnePiece());
  EXPECT_EQ(bytes.data(), BytesOf(text));
  EXPECT_EQ(Copied(bytes, 2, 0), "");
}

TEST(SegmentedBytesTest, OneBuffer) {
  const char* text = "abcd";
  const SegmentedBytes bytes(BytesOf(text), 4);
  EXPECT_TRUE(bytes.IsOnePiece());
  EXPECT_EQ(bytes.data(), BytesOf(text));
  EXPECT_EQ(Copied(bytes, 1, 2), "bc");
  EXPECT_TRUE(SegmentedBytes(nullptr, 0).segments().empty());
}

}  // namespace
}  // namespace stridecast
