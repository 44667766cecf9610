// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Kernels of one line each, which check what they are given.

#ifndef STRIDECAST_TESTS_UNIT_EXEC_PLAIN_KERNELS_H_
#define STRIDECAST_TESTS_UNIT_EXEC_PLAIN_KERNELS_H_

#include <cstdint>

#include "core/kernels/kernel.h"

namespace stridecast {

// Of unsigned integers NEGATE, ADD, MULTIPLY, CLAMP and IOTA, of preds NOT,
// ADD, MULTIPLY and SELECT; copies of all sizes.
class PlainKernels final : public KernelTable {
 public:
  absl::string_view target() const override { return "PLAIN"; }
  Kernel Find(Opcode opcode, DType type, const Attribute&) const override;
  CopyKernel Copy(int64_t element_bytes) const override;
  CopyKernel CopyFromMemory(int64_t element_bytes) const override {
    return Copy(element_bytes);
  }
  CopyKernel CopyPastCache(int64_t element_bytes) const override {
    return Copy(element_bytes);
  }
  PredKernel Pred() const override;
  // No plan of such programs asks for the first, RunTile never for the others.
  ChainKernel Chain(DType) const override { return nullptr; }
  StripKernel Strip(int64_t) const override { return nullptr; }
  BoxKernel Box(int64_t) const override { return nullptr; }
  RunsKernel Runs() const override { return nullptr; }
};

}  // namespace stridecast

#endif  // STRIDECAST_TESTS_UNIT_EXEC_PLAIN_KERNELS_H_
