// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Pictures, and files of tensors on disk.

#include "client/tool/tensor_file.h"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tool/file_bytes.h"
#include "client/tool/input_file.h"
#include "client/tool/interruption.h"
#include "client/tool/npy.h"
#include "client/tool/output_file.h"
#include "client/tool/png.h"
#include "client/tool/pnm.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string Path(const std::string& name) {
  return absl::StrCat(testing::TempDir(), "/stridecast_tensor_file_test_",
                      testing::UnitTest::GetInstance()->random_seed(), name);
}

std::string Bytes(const TensorView& view) {
  return std::string(reinterpret_cast<const char*>(view.data),
                     static_cast<size_t>(view.desc.size_bytes()));
}

int64_t NumFiles(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder),
                       std::filesystem::directory_iterator());
}

TEST(PnmTest, AColourPictureIsHeightWidthChannels) {
  std::string file = "P6\n2 1\n255\nRGBrgb";
  size_t offset = 0;
  const auto desc = DescOfPnm(file, &offset);
  ASSERT_TRUE(desc.ok()) << desc.status();
  EXPECT_EQ(desc->ToString(), "u8[1,2,3]{2,1,0}");
  EXPECT_EQ(file.substr(offset), "RGBrgb");
}

TEST(PnmTest, SixteenBitsAreSwappedAndBack) {
  const std::string original = std::string("P5\n2 1\n65535\n\x01\x02\x03\x04");
  std::string file = original;
  size_t offset = 0;
  const auto desc = DescOfPnm(file, &offset);
  ASSERT_TRUE(desc.ok()) << desc.status();
  EXPECT_EQ(desc->ToString(), "u16[1,2,1]{2,1,0}");
  SwapByteOrder(DType::kU16, file.data() + offset, 4);
  const auto encoded = EncodePnm(
      {*desc, reinterpret_cast<const std::byte*>(file.data() + offset)});
  EXPECT_EQ(*encoded, original);
}

TEST(PnmTest, CommentsAreSkipped) {
  std::string file = "P5 # by hand\n# width\n1 2# height\n 255\nab";
  size_t offset = 0;
  const auto desc = DescOfPnm(file, &offset);
  ASSERT_TRUE(desc.ok()) << desc.status();
  EXPECT_EQ(desc->ToString(), "u8[2,1,1]{2,1,0}");
}

TEST(PnmTest, MalformedPicturesAreRefused) {
  const struct {
    std::string file;
    const char* text;
  } kRows[] = {
      {"", "neither P5"},
      {"P3\n1 1\n255\n0 0 0", "neither P5"},
      {"P6", "neither P5"},
      {"P6\n", "no width"},
      {"P6\n# only a comment", "no width"},
      {"P6\nx 1\n255\n", "no width"},
      {"P6\n1\n", "no height"},
      {"P6\n-1 1\n255\n", "no width"},
      {"P6\n1 1\n", "no greatest value"},
      {"P6\n1 1\n0\nabc", "greatest value 0"},
      {"P6\n1 1\n65536\nabc", "greatest value 65536"},
      {"P6\n1 1\n255", "no white space"},
      {"P6\n1 1\n255x", "no white space"},
      {"P6\n1 1\n255\nab", "2 bytes of samples; 1 x 1 x 3 takes 3"},
      {"P6\n1 1\n255\nabcd", "4 bytes of samples"},
      {"P6\n99999999999 99999999999\n255\n", "overflow"},
      {"P6\n99999999999999999999 1\n255\n", "no width"},
  };
  for (const auto& row : kRows) {
    std::string file = row.file;
    size_t offset = 0;
    const auto desc = DescOfPnm(file, &offset);
    EXPECT_EQ(desc.status().code(), absl::StatusCode::kInvalidArgument)
        << row.file;
    EXPECT_THAT(std::string(desc.status().message()), HasSubstr(row.text))
        << row.file;
  }
}

TEST(PnmTest, PicturesAreWhatLiesInMemoryAsOne) {
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6};
  const struct {
    DimVector extents;
    PhysicalForm form;
    const char* header;  // null: no picture
  } kRows[] = {
      {{1, 2, 3}, {}, "P6\n2 1\n255\n"},
      {{1, 1, 1, 2, 3}, {}, "P6\n2 1\n255\n"},
      {{2, 3, 1}, {}, "P5\n3 2\n255\n"},
      {{2, 3}, {}, "P5\n3 2\n255\n"},
      {{2, 3}, DimensionOrder{{0, 1}, {}, {}}, "P5\n2 3\n255\n"},
      // [C,H,W] whose channel varies fastest: an interleaved picture. (With one
      // row it is column-major as well: was refused for that.)
      {{3, 1, 2}, DimensionOrder{{0, 2, 1}, {}, {}}, "P6\n2 1\n255\n"},
      {{3, 1, 2}, {}, nullptr},
      {{6}, ElementStrides{{-1}, 5}, nullptr},
      {{6}, {}, nullptr},
      {{2, 1, 1, 3}, {}, nullptr},
  };
  for (const auto& row : kRows) {
    const auto file = EncodePnm(*View(bytes, row.extents, row.form));
    if (row.header == nullptr) {
      EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
      continue;
    }
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(*file, row.header + std::string("\1\2\3\4\5\6"));
  }
  const std::vector<float> floats(6);
  EXPECT_FALSE(EncodePnm(*View(floats, {2, 3})).ok());
}

TEST(TensorFileTest, EveryFormatComesBack) {
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6};
  const TensorView view = *View(bytes, {1, 2, 3});
  for (const char* ending : {".npy", ".ppm", ".PNM", ".png", ".raw", ".bin"}) {
    const std::string path = Path(ending);
    ASSERT_TRUE(WriteTensorFile(path, view).ok());
    const auto loaded = ReadTensorFile(path, view.desc);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ(Bytes(loaded->view()), Bytes(view)) << ending;
    std::remove(path.c_str());
  }
}

TEST(TensorFileTest, AColumnMajorTensorComesBackAsOne) {
  const std::vector<float> numbers = {1, 4, 2, 5, 3, 6};
  const std::string path = Path("fortran.npy");
  const TensorView view =
      *View(numbers, {2, 3}, DimensionOrder{{0, 1}, {}, {}});
  ASSERT_TRUE(WriteTensorFile(path, view).ok());
  const auto loaded = ReadTensorFile(path, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->desc.ToString(), "f32[2,3]{0,1}");
  EXPECT_EQ(Bytes(loaded->view()), Bytes(view));
  std::remove(path.c_str());
}

// (N2)
TEST(TensorFileTest, AFileHoldsADescriptorOrDoesNot) {
  const std::vector<float> numbers(10);
  const std::string path = Path("fits.npy");
  ASSERT_TRUE(WriteTensorFile(path, *View(numbers, {2, 5})).ok());
  const struct {
    DType type;
    DimVector extents;
    PhysicalForm form;
    bool fits;
  } kRows[] = {
      {DType::kF32, {2, 5}, {}, true},
      {DType::kF32, {2, 5}, ElementStrides{{5, 1}}, true},
      {DType::kF32, {2, 3}, DimensionOrder{{1, 0}, {2, 5}, {}}, true},
      {DType::kF32, {5, 1, 2}, DimensionOrder{{0, 2, 1}, {}, {}}, false},
      // Column-major as well, since its dimension 1 has one index.
      {DType::kF32, {5, 2}, DimensionOrder{{0, 1}, {}, {}}, true},
      {DType::kF32, {2, 5}, DimensionOrder{{0, 1}, {}, {}}, false},
      {DType::kF32, {5, 2}, {}, false},
      {DType::kS32, {2, 5}, {}, false},
      {DType::kF32, {10}, {}, false},
  };
  for (const auto& row : kRows) {
    const auto desc = TensorDesc::Create(row.type, row.extents, row.form);
    ASSERT_TRUE(desc.ok()) << desc.status();
    const auto loaded = ReadTensorFile(path, *desc);
    EXPECT_EQ(loaded.ok(), row.fits) << desc->ToString();
    if (!row.fits) {
      EXPECT_THAT(std::string(loaded.status().message()), StartsWith(path));
      EXPECT_THAT(std::string(loaded.status().message()),
                  HasSubstr("f32[2,5]"));
    }
  }
  std::remove(path.c_str());
}

TEST(TensorFileTest, FilesThatAreNotAsTheySayAreRefused) {
  const std::string header = FormatNpyHeader({DType::kF32, {2, 3}, false});
  const struct {
    std::string file;
    std::optional<TensorDesc> expected;
    const char* text;
  } kRows[] = {
      {header + std::string(23, 'x'), {}, "23 bytes of elements; f32[2,3]"},
      {header + std::string(25, 'x'), {}, "takes 24"},
      {"neither", {}, "for raw bytes say the shape"},
      {"PK\x03\x04", {}, "unpack it (unzip)"},
      {"\xFF\xD8\xFF\xE0", {}, "JPEG"},
      {"\x1F\x8B\x08", {}, "gzip -dc"},
      {"\x89PNG\r\n\x1a\n", {}, "picture: PNG: the file is cut short"},
      {"four", TensorDesc(), nullptr},
      {"three", TensorDesc(), "5 bytes of elements; f32[] takes 4"},
      {"", {}, "neither .npy"},
      {"P2\n1 1\n255\n1", {}, "neither P5"},
  };
  const std::string path = Path("malformed");
  for (const auto& row : kRows) {
    ASSERT_TRUE(WriteFile(path, row.file).ok());
    const auto loaded = ReadTensorFile(path, row.expected);
    if (row.text == nullptr) {
      EXPECT_TRUE(loaded.ok()) << loaded.status();
      continue;
    }
    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(loaded.status().message()), StartsWith(path));
    EXPECT_THAT(std::string(loaded.status().message()), HasSubstr(row.text));
  }
  std::remove(path.c_str());
}

TEST(TensorFileTest, BigEndianElementsAreTurned) {
  std::string file = FormatNpyHeader({DType::kU16, {2}, false});
  file.replace(file.find("<u2"), 3, ">u2");
  const std::string path = Path("big.npy");
  ASSERT_TRUE(WriteFile(path, file, std::string("\x01\x02\x03\x04")).ok());
  const auto u16_2 = TensorDesc::Create(DType::kU16, {2});
  for (const auto& expected :
       {std::optional<TensorDesc>(), std::optional<TensorDesc>(*u16_2)}) {
    const auto loaded = ReadTensorFile(path, expected);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ(Bytes(loaded->view()), "\x02\x01\x04\x03");
  }
  std::remove(path.c_str());
}

TEST(TensorFileTest, SamplesOf16BitsAreTurned) {
  const std::string path = Path("wide.pgm");
  ASSERT_TRUE(WriteFile(path, "P5\n2 1\n65535\n\x01\x02\x03\x04").ok());
  const auto loaded = ReadTensorFile(path, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Bytes(loaded->view()), "\x02\x01\x04\x03");
  // In memory, not in the file.
  EXPECT_EQ(*ReadFile(path), "P5\n2 1\n65535\n\x01\x02\x03\x04");
  std::remove(path.c_str());
}

TEST(TensorFileTest, ADescriptionNeedsNoSamples) {
  const std::vector<uint8_t> bytes(6);
  const auto png = EncodePng(*View(bytes, {1, 2, 3}));
  ASSERT_TRUE(png.ok()) << png.status();
  const std::string path = Path("cut.png");
  ASSERT_TRUE(WriteFile(path, png->substr(0, 50)).ok());
  EXPECT_FALSE(ReadTensorFile(path, {}).ok());
  const auto described = ReadTensorFile(path, {}, TensorPart::kDescription);
  ASSERT_TRUE(described.ok()) << described.status();
  EXPECT_EQ(described->desc.ToString(), "u8[1,2,3]{2,1,0}");
  EXPECT_EQ(described->dimension_names, "HWC");
  std::remove(path.c_str());
}

TEST(TensorFileTest, PicturesNameTheirDimensions) {
  const std::vector<uint8_t> bytes(6);
  const std::string path = Path("named.png");
  ASSERT_TRUE(WriteTensorFile(path, *View(bytes, {1, 2, 3})).ok());
  EXPECT_EQ(ReadTensorFile(path, {})->dimension_names, "HWC");
  const auto chw = TensorDesc::Create(DType::kU8, {3, 1, 2},
                                      DimensionOrder{{0, 2, 1}, {}, {}});
  EXPECT_EQ(ReadTensorFile(path, *chw)->dimension_names, "");
  std::remove(path.c_str());
}

TEST(TensorFileTest, AFormatMayBeSaid) {
  const std::vector<uint8_t> bytes = {1, 2, 3};
  const std::string path = Path("without_ending");
  const TensorView view = *View(bytes, {1, 1, 3});
  ASSERT_TRUE(WriteTensorFile(path, view, FileFormat::kRaw).ok());
  EXPECT_EQ(*ReadFile(path), "\1\2\3");
  ASSERT_TRUE(WriteTensorFile(path, view, ParseFileFormat("PPM")).ok());
  EXPECT_EQ(*ReadFile(path), "P6\n1 1\n255\n\1\2\3");
  EXPECT_FALSE(ParseFileFormat("jpg").has_value());
  std::remove(path.c_str());
}

// What a signal takes away, and what it does not.
TEST(OutputFileTest, ASignalLeavesNothingHalf) {
  const std::string folder = Path("_signal");
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/x.raw";
  ASSERT_TRUE(WriteFile(path, "old").ok());
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(
        {
          HandleInterruptions();
          auto file = OutputFile::Create(path);
          if (!file.ok() || !file->Write("half").ok()) _exit(1);
          raise(signal);
        },
        testing::KilledBySignal(signal), "");
    EXPECT_EQ(*ReadFile(path), "old");
    EXPECT_EQ(NumFiles(folder), 1);
  }
  std::filesystem::remove_all(folder);
}

TEST(OutputFileTest, WhatIsNotCommittedGoes) {
  const std::string folder = Path("_committed");
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/x.raw";
  {
    auto one = OutputFile::Create(path);
    auto two = OutputFile::Create(path);
    ASSERT_TRUE(one.ok() && two.ok());
    ASSERT_TRUE(one->Write("one").ok());
    ASSERT_TRUE(two->Write("two").ok());
    EXPECT_FALSE(std::filesystem::exists(path));
    OutputFile moved = *std::move(two);
    ASSERT_TRUE(moved.Commit().ok());
  }
  EXPECT_EQ(*ReadFile(path), "two");
  EXPECT_EQ(NumFiles(folder), 1);
  std::filesystem::remove_all(folder);
}

TEST(InputFileTest, AFileThatShrinksEndsTheProcessWithALine) {
  const std::string path = Path("shrinks");
  const std::string bytes(1 << 20, 'x');
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  EXPECT_EXIT(
      {
        HandleInterruptions();
        const auto file = InputFile::Open(path);
        if (!file.ok()) _exit(3);
        std::filesystem::resize_file(path, 0);
        _exit(file->bytes().back() == 'x' ? 4 : 5);
      },
      testing::ExitedWithCode(1),
      "^stridecast: an input file became shorter while it was read\n$");
  std::remove(path.c_str());
}

TEST(FileBytesTest, OnePipeCarriesOneTensor) {
  EXPECT_TRUE(CheckOnePipe({"-", "a", "b"}, "standard input").ok());
  EXPECT_THAT(
      std::string(CheckOnePipe({"-", "a", "-"}, "standard input").message()),
      HasSubstr("standard input is one pipe; only one of 3"));
}

TEST(TensorFileTest, PathsThatDoNotOpenAreNamed) {
  const auto loaded = ReadTensorFile("/nowhere/x.npy", {});
  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("/nowhere/x.npy"));
  const std::vector<uint8_t> bytes(3);
  const TensorView view = *View(bytes, {1, 1, 3});
  EXPECT_THAT(WriteTensorFile("/nowhere/x.npy", view).message(),
              HasSubstr("/nowhere/x.npy"));
  EXPECT_THAT(WriteTensorFile("x.jpg", view).message(),
              HasSubstr("x.jpg: the name ends in none of"));
}

}  // namespace
}  // namespace stridecast
