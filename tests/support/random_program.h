// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Random requests for property tests: any program of the operations that the
// oracle knows, on any shapes, layouts, element types and bit patterns that
// Prepare must accept; how to read one; and how to make a failing one small.
// Rule: the same seed makes the same request on every machine.

#ifndef STRIDECAST_TESTS_SUPPORT_RANDOM_PROGRAM_H_
#define STRIDECAST_TESTS_SUPPORT_RANDOM_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "stridecast/request.h"
#include "tests/support/reference.h"

namespace stridecast::testing {

// std::mt19937_64 is the same everywhere; the distributions of std are not.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint64_t Bits() { return engine_(); }
  // 0 ... bound-1.
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(bound));
  }
  // low ... high.
  int64_t Between(int64_t low, int64_t high) {
    return low + Below(high - low + 1);
  }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  template <typename Container>
  const auto& Pick(const Container& container) {
    return container[static_cast<size_t>(
        Below(static_cast<int64_t>(std::size(container))))];
  }
  template <typename Container>
  void Shuffle(Container& container) {
    for (size_t i = std::size(container); i > 1; --i) {
      std::swap(container[i - 1],
                container[static_cast<size_t>(Below(static_cast<int64_t>(i)))]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

struct RandomCase {
  Signature signature;
  std::vector<Bytes> operands;
};

using SupportsFn = std::function<bool(Opcode, DType)>;

// `supports` limits the operations to those that are built.
RandomCase MakeRandomCase(uint64_t seed, const SupportsFn& supports);

// The smallest request found for which `fails` still holds, as it does for
// `failing`: fewer results, instructions made operands, plainer layouts.
RandomCase Shrink(RandomCase failing,
                  const std::function<bool(const RandomCase&)>& fails);

std::string ToString(const PhysicalForm& form);
std::string ToString(const Signature& signature);
// The signature and the first bytes of the operands.
std::string ToString(const RandomCase& random_case);

// --- random_tensor.cc ---

// 0 ... rank-1 in any order.
DimVector RandomPermutation(Random& random, size_t rank);

// Of an operand: repeated, overlapping and backward strides too; of a result:
// those that a result may have.
PhysicalForm RandomOperandForm(Random& random, DType type,
                               const DimVector& shape);
PhysicalForm RandomResultForm(Random& random, DType type,
                              const DimVector& shape);

// A buffer for `desc`; one number in `edge_rarity` is of the kind where
// implementations differ: NaNs, infinities, subnormals, limits.
Bytes RandomBytes(Random& random, const TensorDesc& desc, int64_t edge_rarity);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_RANDOM_PROGRAM_H_
