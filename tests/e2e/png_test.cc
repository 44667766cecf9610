// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The files to read are made here, byte by byte as the PNG specification says,
// without libpng; files that we write are taken apart in the same way.

#include "client/tool/png.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using testing::HasSubstr;

const std::string kSignature("\x89PNG\r\n\x1a\n", 8);

std::string BigEndian(uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(number >> shift);
  }
  return bytes;
}

uint32_t Crc(const std::string& bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
  }
  return ~crc;
}

std::string Chunk(const std::string& type, const std::string& data) {
  return BigEndian(static_cast<uint32_t>(data.size())) + type + data +
         BigEndian(Crc(type + data));
}

// zlib's format with one stored block, uncompressed.
std::string Zlib(const std::string& bytes) {
  uint32_t a = 1;
  uint32_t b = 0;
  for (char byte : bytes) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  const auto low = static_cast<char>(bytes.size() & 0xFF);
  const auto high = static_cast<char>(bytes.size() >> 8);
  return std::string("\x78\x01\x01") + low + high + static_cast<char>(~low) +
         static_cast<char>(~high) + bytes + BigEndian(b << 16 | a);
}

enum Colour : char { kGrey = 0, kRgb = 2, kPalette = 3, kGreyA = 4, kRgbA = 6 };

std::string Header(uint32_t width, uint32_t height, int bits, Colour colour,
                   bool interlaced = false) {
  return kSignature +
         Chunk("IHDR", BigEndian(width) + BigEndian(height) +
                           std::string{static_cast<char>(bits), colour, 0, 0,
                                       static_cast<char>(interlaced)});
}

// `rows` has a filter byte, 0, before each row.
std::string Rest(const std::string& rows) {
  return Chunk("IDAT", Zlib(rows)) + Chunk("IEND", "");
}

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (int byte : bytes) text += static_cast<char>(byte);
  return text;
}

TEST(PngTest, AColourPictureIsHeightWidthChannels) {
  const auto png =
      DecodePng(Header(2, 1, 8, kRgb) + Rest(Bytes({0, 1, 2, 3, 4, 5, 6})));
  ASSERT_TRUE(png.ok()) << png.status();
  EXPECT_EQ(png->desc.ToString(), "u8[1,2,3]{2,1,0}");
  EXPECT_EQ(png->samples, Bytes({1, 2, 3, 4, 5, 6}));
}

struct GoodCase {
  const char* name;
  std::string file;
  const char* shape;
  std::string samples;
};

class GoodPngTest : public testing::TestWithParam<GoodCase> {};

TEST_P(GoodPngTest, IsRead) {
  const auto png = DecodePng(GetParam().file);
  ASSERT_TRUE(png.ok()) << png.status();
  EXPECT_EQ(png->desc.ToString(), GetParam().shape);
  EXPECT_EQ(png->samples, GetParam().samples);
}

const std::string kColours = Chunk("PLTE", Bytes({10, 11, 12, 20, 21, 22}));

const GoodCase kGood[] = {
    {"Grey", Header(1, 2, 8, kGrey) + Rest(Bytes({0, 7, 0, 8})),
     "u8[2,1,1]{2,1,0}", Bytes({7, 8})},
    {"GreyAlpha", Header(1, 1, 8, kGreyA) + Rest(Bytes({0, 7, 9})),
     "u8[1,1,2]{2,1,0}", Bytes({7, 9})},
    {"RgbAlpha", Header(1, 1, 8, kRgbA) + Rest(Bytes({0, 1, 2, 3, 4})),
     "u8[1,1,4]{2,1,0}", Bytes({1, 2, 3, 4})},
    // Big-endian in the file, not scaled and not made linear.
    {"Grey16", Header(1, 1, 16, kGrey) + Rest(Bytes({0, 0x12, 0x34})),
     "u16[1,1,1]{2,1,0}", Bytes({0x34, 0x12})},
    {"RgbAlpha16",
     Header(1, 1, 16, kRgbA) + Rest(Bytes({0, 1, 2, 3, 4, 5, 6, 7, 8})),
     "u16[1,1,4]{2,1,0}", Bytes({2, 1, 4, 3, 6, 5, 8, 7})},
    {"OneBit", Header(3, 1, 1, kGrey) + Rest(Bytes({0, 0xA0})),
     "u8[1,3,1]{2,1,0}", Bytes({255, 0, 255})},
    {"FourBits", Header(2, 1, 4, kGrey) + Rest(Bytes({0, 0x1F})),
     "u8[1,2,1]{2,1,0}", Bytes({17, 255})},
    {"Palette", Header(2, 1, 8, kPalette) + kColours + Rest(Bytes({0, 1, 0})),
     "u8[1,2,3]{2,1,0}", Bytes({20, 21, 22, 10, 11, 12})},
    {"PaletteWithAlpha",
     Header(2, 1, 1, kPalette) + kColours + Chunk("tRNS", Bytes({128})) +
         Rest(Bytes({0, 0x40})),
     "u8[1,2,4]{2,1,0}", Bytes({10, 11, 12, 128, 20, 21, 22, 255})},
    {"TransparentGrey",
     Header(2, 1, 8, kGrey) + Chunk("tRNS", Bytes({0, 7})) +
         Rest(Bytes({0, 7, 8})),
     "u8[1,2,2]{2,1,0}", Bytes({7, 0, 8, 255})},
    {"Interlaced",
     Header(2, 2, 8, kGrey, true) + Rest(Bytes({0, 1, 0, 2, 0, 3, 4})),
     "u8[2,2,1]{2,1,0}", Bytes({1, 2, 3, 4})},
    {"Filtered", Header(3, 1, 8, kGrey) + Rest(Bytes({1, 5, 1, 1})),
     "u8[1,3,1]{2,1,0}", Bytes({5, 6, 7})},
    // Gamma is a note, not an order.
    {"Gamma",
     Header(1, 1, 8, kGrey) + Chunk("gAMA", BigEndian(100000)) +
         Chunk("tEXt", std::string("Title\0x", 7)) + Rest(Bytes({0, 7})),
     "u8[1,1,1]{2,1,0}", Bytes({7})},
};

INSTANTIATE_TEST_SUITE_P(All, GoodPngTest, testing::ValuesIn(kGood),
                         [](const auto& test) { return test.param.name; });

TEST(PngTest, WhateverIsCutOffIsRefused) {
  const std::string file =
      Header(2, 1, 8, kPalette) + kColours + Rest(Bytes({0, 1, 0}));
  ASSERT_TRUE(DecodePng(file).ok());
  for (size_t size = 0; size < file.size(); ++size) {
    const auto png = DecodePng(absl::string_view(file).substr(0, size));
    EXPECT_EQ(png.status().code(), absl::StatusCode::kInvalidArgument) << size;
    EXPECT_THAT(std::string(png.status().message()),
                testing::StartsWith("picture: PNG: "));
  }
}

TEST(PngTest, NoByteMakesItCrash) {
  const std::string file =
      Header(2, 2, 8, kRgb, true) +
      Rest(Bytes({0, 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 1, 2, 3}));
  ASSERT_TRUE(DecodePng(file).ok());
  for (size_t i = 0; i < file.size(); ++i) {
    for (int flip : {0x01, 0x80, 0xFF}) {
      std::string bad = file;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      const auto png = DecodePng(bad);
      if (!png.ok()) {
        EXPECT_EQ(png.status().code(), absl::StatusCode::kInvalidArgument);
        EXPECT_EQ(png.status().message().find('\n'), std::string::npos);
      }
    }
  }
}

TEST(PngTest, MalformedPicturesAreRefused) {
  const struct {
    std::string file;
    const char* text;
  } kRows[] = {
      {Header(0, 1, 8, kGrey) + Rest(""), "Invalid IHDR"},
      {Header(1, 1, 3, kGrey) + Rest(""), "Invalid IHDR"},
      {Header(1, 1, 8, kPalette) + Rest(Bytes({0, 0})), "Missing PLTE"},
      {Header(1, 1, 8, kGrey) + Chunk("IEND", ""), "IEND: out of place"},
      {Header(1, 1, 8, kGrey) + Rest(Bytes({9, 1})), "bad adaptive filter"},
      {Header(1, 2, 8, kGrey) + Rest(Bytes({0, 1})), "Not enough image data"},
      {Header(1, 1, 8, kGrey) + Chunk("IDAT", "nonsense"), "IDAT:"},
      // Bombs: more pixels than the file can hold, or than the limit.
      {Header(100000, 10000, 8, kGrey) + Rest(""), "cannot hold as many"},
      {Header(0x7FFFFFFF, 0x7FFFFFFF, 16, kRgbA) + Rest(""),
       "take more than 1073741824 bytes"},
  };
  for (const auto& row : kRows) {
    const auto png = DecodePng(row.file);
    EXPECT_EQ(png.status().code(), absl::StatusCode::kInvalidArgument)
        << row.text;
    EXPECT_THAT(std::string(png.status().message()), HasSubstr(row.text));
  }
}

class PngRoundTripTest : public testing::TestWithParam<int> {};

TEST_P(PngRoundTripTest, SamplesComeBack) {
  const int64_t channels = GetParam();
  std::vector<uint16_t> samples(static_cast<size_t>(5 * 7 * channels));
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<uint16_t>(i * 40503);
  }
  const std::span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(samples.data()), samples.size());
  const TensorView kViews[] = {*View(samples, {5, 7, channels}),
                               *View(bytes, {5, 7, channels})};
  for (const TensorView& view : kViews) {
    const auto file = EncodePng(view);
    ASSERT_TRUE(file.ok()) << file.status();
    const auto png = DecodePng(*file);
    ASSERT_TRUE(png.ok()) << png.status();
    EXPECT_EQ(png->desc.ToString(), view.desc.ToString());
    EXPECT_EQ(png->samples,
              std::string(reinterpret_cast<const char*>(view.data),
                          static_cast<size_t>(view.desc.size_bytes())));
  }
}

INSTANTIATE_TEST_SUITE_P(Channels, PngRoundTripTest, testing::Range(1, 5));

TEST(PngTest, TheHeaderSaysWhatIsWritten) {
  const std::vector<uint16_t> grey_alpha = {1, 2};
  const auto file = EncodePng(*View(grey_alpha, {1, 1, 2}));
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string header = Header(1, 1, 16, kGreyA);
  EXPECT_EQ(file->substr(0, header.size()), header);
}

TEST(PngTest, OnlyPicturesAreWritten) {
  const std::vector<uint8_t> bytes(30);
  const struct {
    DimVector extents;
    PhysicalForm form;
    const char* text;  // null: a picture
  } kRows[] = {
      {{5, 6}, {}, nullptr},
      {{1, 5, 2, 3}, {}, nullptr},
      {{2, 5, 3}, DimensionOrder{{0, 2, 1}, {}, {}}, nullptr},
      {{3, 2, 5}, {}, "in memory [height, width, 1 or 2 or 3 or 4]"},
      {{30}, {}, "u8[30]{0} is none"},
  };
  for (const auto& row : kRows) {
    const auto file = EncodePng(*View(bytes, row.extents, row.form));
    EXPECT_EQ(file.ok(), row.text == nullptr) << file.status();
    if (row.text != nullptr) {
      EXPECT_THAT(std::string(file.status().message()), HasSubstr(row.text));
    }
  }
  EXPECT_THAT(
      std::string(EncodePng(*View(std::span<const uint8_t>(), {0, 4, 3}))
                      .status()
                      .message()),
      HasSubstr("4 x 0 pixels"));
  const std::vector<float> floats(6);
  EXPECT_FALSE(EncodePng(*View(floats, {2, 3})).ok());
}

}  // namespace
}  // namespace stridecast
