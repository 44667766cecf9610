// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/heap.h"

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

// Whether the C library has it in its heap, or in a mapping of its own, as it
// does with so much until it is told to keep what is freed.
TEST(HeapTest, WhatIsAllocatedIsInUse) {
  const auto in_use_more = [](int64_t bytes) {
    return AllOf(Ge(bytes), Le(bytes + (64 << 10)));
  };
  for (const bool keeps_freed : {false, true}) {
    if (keeps_freed) KeepFreedMemory();
    for (const size_t bytes : {size_t{100'000}, size_t{50'000'000}}) {
      const int64_t before = HeapBytesInUse();
      std::unique_ptr<void, decltype(&std::free)> memory(std::malloc(bytes),
                                                         &std::free);
      EXPECT_THAT(HeapBytesInUse() - before,
                  in_use_more(static_cast<int64_t>(bytes)));
      memory.reset();
      EXPECT_THAT(HeapBytesInUse() - before, in_use_more(0));
    }
  }
}

}  // namespace
}  // namespace stridecast
