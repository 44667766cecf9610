// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Copies between strided places, against copying element by element.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/kernels/kernel.h"
#include "tests/unit/kernels/harness.h"

namespace stridecast::kernel_tests {
namespace {

constexpr std::byte kSentinel{0xA5};

struct Strides {
  int64_t row;
  int64_t col;
};

std::vector<std::string> TargetNames() {
  std::vector<std::string> names;
  for (const KernelTable* table : KernelTables()) {
    names.emplace_back(table->target());
  }
  return names;
}

// By index into KernelTables() and element size.
class CopyTest : public ::testing::TestWithParam<std::tuple<size_t, int64_t>> {
 protected:
  int64_t bytes() const { return std::get<1>(GetParam()); }

  // Where the bytes begin and end, relative to the first element.
  std::pair<int64_t, int64_t> Reach(int64_t rows, int64_t cols,
                                    Strides strides) const {
    const int64_t row_reach = (rows - 1) * strides.row;
    const int64_t col_reach = (cols - 1) * strides.col;
    return {std::min<int64_t>(row_reach, 0) + std::min<int64_t>(col_reach, 0),
            std::max<int64_t>(row_reach, 0) + std::max<int64_t>(col_reach, 0) +
                bytes()};
  }

  // Checks one copy, both places against a guard page.
  void Check(int64_t rows, int64_t cols, Strides from, Strides to,
             bool at_end) {
    static const GuardedBuffer source_buffer(size_t{1} << 20);
    static const GuardedBuffer result_buffer(size_t{1} << 20);
    const auto place = [&](const GuardedBuffer& buffer, Strides strides) {
      const auto [below, above] = Reach(rows, cols, strides);
      EXPECT_LE(static_cast<size_t>(above - below), buffer.capacity());
      return at_end ? buffer.AtEnd(static_cast<size_t>(above))
                    : buffer.AtStart() - below;
    };
    std::byte* source = place(source_buffer, from);
    std::byte* result = place(result_buffer, to);
    static const bool filled = [] {
      uint32_t counter = 1;
      std::generate(source_buffer.AtStart(),
                    source_buffer.AtStart() + source_buffer.capacity(), [&] {
                      counter = counter * 1664525 + 1013904223;
                      return std::byte(counter >> 24);
                    });
      return true;
    }();
    ASSERT_TRUE(filled);
    // The result and what is near it.
    const auto [result_below, result_above] = Reach(rows, cols, to);
    std::byte* begin =
        std::max(result + result_below - 256, result_buffer.AtStart());
    std::byte* end =
        std::min(result + result_above + 256, result_buffer.AtEnd(0));
    std::memset(begin, static_cast<int>(kSentinel),
                static_cast<size_t>(end - begin));

    const KernelTable* table = KernelTables()[std::get<0>(GetParam())];
    for (const CopyKernel copy :
         {table->Copy(bytes()), table->CopyFromMemory(bytes()),
          table->CopyPastCache(bytes())}) {
      copy(rows, cols, source, from.row, from.col, result, to.row, to.col);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; ++c) {
          std::byte* got = result + r * to.row + c * to.col;
          ASSERT_EQ(std::memcmp(got, source + r * from.row + c * from.col,
                                static_cast<size_t>(bytes())),
                    0)
              << rows << "x" << cols << " of " << bytes() << " bytes from ("
              << from.row << ", " << from.col << ") to (" << to.row << ", "
              << to.col << ") at (" << r << ", " << c << ")";
        }
      }
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; ++c) {
          std::memset(result + r * to.row + c * to.col,
                      static_cast<int>(kSentinel),
                      static_cast<size_t>(bytes()));
        }
      }
      ASSERT_TRUE(
          std::all_of(begin, end, [](std::byte b) { return b == kSentinel; }))
          << rows << "x" << cols << ": wrote beside the elements";
    }
  }

  void CheckBothEnds(int64_t rows, int64_t cols, Strides from, Strides to) {
    Check(rows, cols, from, to, false);
    Check(rows, cols, from, to, true);
  }
};

TEST_P(CopyTest, Transposes) {
  const int64_t b = bytes();
  const int64_t sides[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                           13, 14, 15, 16, 17, 23, 31, 32, 33, 64, 66};
  for (const int64_t rows : sides) {
    for (const int64_t cols : sides) {
      Check(rows, cols, {b, rows * b}, {cols * b, b}, true);
      if (HasFatalFailure()) return;
      Check(rows, cols, {cols * b, b}, {b, rows * b}, false);
      if (HasFatalFailure()) return;
      CheckBothEnds(rows, cols, {b, rows * b + 3}, {cols * b + 5, b});
      if (HasFatalFailure()) return;
      Check(rows, cols, {b, -(rows * b)}, {cols * b, b}, true);
      if (HasFatalFailure()) return;
    }
  }
}

// Lines of the source that L1 keeps in one place: whole strips, what is left of
// them, and two at a time.
TEST_P(CopyTest, TransposesLinesAPowerOfTwoApart) {
  const int64_t b = bytes();
  for (const int64_t rows : {1, 3, 16, 17, 33, 64, 66, 250}) {
    for (const int64_t cols : {8, 16, 33, 64, 66, 130, 200}) {
      for (const int64_t apart : {2048, 4096}) {
        CheckBothEnds(rows, cols, {b, apart}, {cols * b, b});
        if (HasFatalFailure()) return;
        CheckBothEnds(rows, cols, {b, -apart}, {cols * b + 5, b});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(CopyTest, OneRowAgainAndAgain) {
  const int64_t b = bytes();
  for (const int64_t rows : {2, 3, 32, 33, 777}) {
    for (const int64_t cols : {1, 2, 3, 5, 16, 50}) {
      for (const int64_t step : {b, -b, 2 * b}) {
        CheckBothEnds(rows, cols, {0, step}, {cols * b, b});
        if (HasFatalFailure()) return;
        CheckBothEnds(rows, cols, {0, step}, {cols * b + b, b});
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Steps along the source that leave one column of it over.
TEST_P(CopyTest, TransposesOneColumn) {
  const int64_t b = bytes();
  CheckBothEnds(20, 33, {2 * b, 1000}, {33 * b, b});
}

// Dense rows from anywhere, one after the other in the result: shorter than a
// cache line, one long, longer.
TEST_P(CopyTest, RowsThatFollowEachOther) {
  const int64_t b = bytes();
  for (const int64_t rows : {2, 3, 7}) {
    for (int64_t cols = 1; cols * b <= 330; ++cols) {
      const int64_t row_bytes = cols * b;
      for (const int64_t gap : {-b, b, 5 * b + 3, int64_t{1000}}) {
        CheckBothEnds(rows, cols, {row_bytes + gap, b}, {row_bytes, b});
        if (HasFatalFailure()) return;
        CheckBothEnds(rows, cols, {-row_bytes - gap, b}, {row_bytes, b});
        if (HasFatalFailure()) return;
      }
      CheckBothEnds(rows, cols, {0, b}, {row_bytes, b});
      if (HasFatalFailure()) return;
    }
  }
}

// NHWC to NCHW and back: few channels, many pixels.
TEST_P(CopyTest, Interleaves) {
  const int64_t b = bytes();
  for (int64_t channels = 2; channels <= 5; ++channels) {
    for (int64_t pixels = 1; pixels <= 140; ++pixels) {
      CheckBothEnds(pixels, channels, {channels * b, b}, {b, pixels * b});
      if (HasFatalFailure()) return;
      CheckBothEnds(pixels, channels, {b, pixels * b}, {channels * b, b});
      if (HasFatalFailure()) return;
      // Three of four channels, and three to four.
      CheckBothEnds(pixels, channels, {channels * b + b, b}, {b, pixels * b});
      if (HasFatalFailure()) return;
      CheckBothEnds(pixels, channels, {b, pixels * b}, {channels * b + b, b});
      if (HasFatalFailure()) return;
    }
  }
}

// Pixels of a few channels that follow each other in the result: mirrored, far
// apart, all the same, with channels reversed, left out, or repeated.
TEST_P(CopyTest, Pixels) {
  const int64_t b = bytes();
  for (int64_t channels = 1; channels <= 6; ++channels) {
    for (const int64_t channel : {b, -b, 2 * b, -2 * b, int64_t{0}}) {
      for (const int64_t pixel :
           {channels * b, -channels * b, channels * b + b, -2 * channels * b,
            int64_t{1000}, int64_t{-1000}, int64_t{1}, int64_t{0}}) {
        for (const int64_t pixels : {31, 32, 33, 47, 64, 101}) {
          CheckBothEnds(pixels, channels, {pixel, channel}, {channels * b, b});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Planes of which the last one lies first in a pixel, and matrices turned.
TEST_P(CopyTest, PlanesBackwards) {
  const int64_t b = bytes();
  for (const int64_t planes : {2, 3, 4, 9, 16, 40}) {
    for (const int64_t elements : {17, 64, 150, 700}) {
      for (const int64_t pixel : {planes * b, planes * b + b, int64_t{1000}}) {
        const int64_t row = elements * b;
        CheckBothEnds(planes, elements, {-b, pixel}, {row, b});
        if (HasFatalFailure()) return;
        CheckBothEnds(planes, elements, {-b, -pixel}, {row + b, b});
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Enough for whole lines of the result, which begin anywhere in a line.
TEST_P(CopyTest, ManyElementsAcross) {
  const int64_t b = bytes();
  for (const int64_t lines : {2, 3, 4, 6, 8, 9, 20}) {
    for (const int64_t elements : {63, 64, 65, 255, 256, 257, 333, 650}) {
      const int64_t row = elements * b;
      for (const int64_t gap : {int64_t{0}, b, 5 * b, int64_t{3}}) {
        CheckBothEnds(lines, elements, {b, lines * b}, {row + gap, b});
        if (HasFatalFailure()) return;
        CheckBothEnds(lines, elements, {row + gap, b}, {b, lines * b});
        if (HasFatalFailure()) return;
        for (const int64_t step : {-4, -3, -2, 2, 3, 4}) {
          CheckBothEnds(lines, elements, {row * std::abs(step), step * b},
                        {row + gap, b});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Planes of several parts each, in either order, their unfinished lines
// anywhere.
TEST_P(CopyTest, LongPlanes) {
  const int64_t b = bytes();
  for (const int64_t planes : {2, 3, 4, 5, 8, 9, 16, 17}) {
    // With the longest and the shortest last parts, and too long to be staged
    // whole.
    for (const int64_t row :
         {int64_t{1088}, 1088 + b, int64_t{1152}, int64_t{2176}, int64_t{2240},
          int64_t{3328}, 3328 + b, int64_t{4160}, 4160 + b}) {
      const int64_t elements = row / b;
      for (const int64_t gap : {int64_t{0}, b, int64_t{3}}) {
        CheckBothEnds(planes, elements, {b, planes * b}, {row + gap, b});
        if (HasFatalFailure()) return;
        CheckBothEnds(planes, elements, {b, planes * b}, {-row - gap, b});
        if (HasFatalFailure()) return;
        CheckBothEnds(planes, elements, {b, -planes * b}, {row + gap, b});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(CopyTest, Rows) {
  const int64_t b = bytes();
  for (int64_t cols = 1; cols <= 150; ++cols) {
    const int64_t row = cols * b;
    for (const Strides& from :
         {Strides{row, b}, Strides{row + 9, b}, Strides{-row - 1, b},
          Strides{0, b}, Strides{b, 0}, Strides{0, 0}, Strides{row, -b}}) {
      for (const Strides& to :
           {Strides{row, b}, Strides{row + 3, b}, Strides{-row, b}}) {
        CheckBothEnds(3, cols, from, to);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Every second to fifth element, in either direction, up to several vectors.
TEST_P(CopyTest, Steps) {
  const int64_t b = bytes();
  for (int64_t cols = 1; cols <= 150; ++cols) {
    for (const int64_t step : {-5, -4, -3, -2, 2, 3, 4, 5}) {
      const int64_t reach = cols * std::abs(step) * b;
      for (const int64_t row : {reach, -reach - 1}) {
        CheckBothEnds(2, cols, {row, step * b}, {cols * b, b});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(CopyTest, AnyStrides) {
  const int64_t b = bytes();
  for (const int64_t rows : {1, 3, 17, 40}) {
    for (const int64_t cols : {1, 2, 20, 70}) {
      for (const Strides& from :
           {Strides{cols * 3 * b, 3 * b}, Strides{2 * b, rows * 2 * b + 1},
            Strides{-b, rows * b}, Strides{0, 5}, Strides{7, 0},
            Strides{b, b}}) {
        for (const Strides& to :
             {Strides{cols * 2 * b, 2 * b}, Strides{2 * b, rows * 2 * b},
              Strides{-b, -rows * b}, Strides{cols * b, b},
              Strides{b, rows * b}}) {
          CheckBothEnds(rows, cols, from, to);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, CopyTest,
    ::testing::Combine(::testing::Range(size_t{0}, KernelTables().size()),
                       ::testing::Values(1, 2, 4, 8, 16)),
    [](const ::testing::TestParamInfo<std::tuple<size_t, int64_t>>& test) {
      return TargetNames()[std::get<0>(test.param)] + "_" +
             std::to_string(std::get<1>(test.param));
    });

TEST(PredKernelTest, AnyOtherByteIsOne) {
  for (const KernelTable* table : KernelTables()) {
    for (int64_t count = 0; count <= 300; ++count) {
      const GuardedBuffer source_buffer(4096);
      const GuardedBuffer result_buffer(4096);
      const size_t num_bytes = static_cast<size_t>(count);
      std::byte* source = source_buffer.AtEnd(num_bytes);
      std::byte* result = result_buffer.AtEnd(num_bytes);
      for (size_t i = 0; i < num_bytes; ++i) {
        source[i] = static_cast<std::byte>(i * 7);
      }
      table->Pred()(count, source, result);
      for (size_t i = 0; i < num_bytes; ++i) {
        ASSERT_EQ(result[i], std::byte{i % 256 != 0}) << count << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace stridecast::kernel_tests
