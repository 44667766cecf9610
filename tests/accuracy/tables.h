// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Runs the kernels of all targets on the same elements.

#ifndef STRIDECAST_TESTS_ACCURACY_TABLES_H_
#define STRIDECAST_TESTS_ACCURACY_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stridecast/dtype.h"
#include "stridecast/operation.h"

namespace stridecast::accuracy {

using Buffer = std::vector<std::byte>;

bool IsBuilt(Opcode opcode, DType type);

// The results of one operation, its scalars being the defaults, on elements of
// one type. Not for several threads at once.
class Runner {
 public:
  Runner(Opcode opcode, DType type);

  // Dense elements in, dense elements out: those of the best target. Notes in
  // fault() which other target gives other bits, if one does.
  const Buffer& Run(int64_t num_elements, const Buffer& x, const Buffer& y);

  const std::string& fault() const { return fault_; }

 private:
  const Opcode opcode_;
  const DType type_;
  Buffer result_;
  Buffer other_;
  std::string fault_;
};

}  // namespace stridecast::accuracy

#endif  // STRIDECAST_TESTS_ACCURACY_TABLES_H_
