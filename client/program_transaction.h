// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Instructions that are appended together or not at all: unless Commit is
// called, those appended during the life of a transaction are taken back, and a
// fault with them. Their values must not be used then.

#ifndef STRIDECAST_CLIENT_PROGRAM_TRANSACTION_H_
#define STRIDECAST_CLIENT_PROGRAM_TRANSACTION_H_

#include <cstddef>

#include "absl/status/status.h"
#include "stridecast/program.h"

namespace stridecast {

class ProgramTransaction {
 public:
  explicit ProgramTransaction(ProgramBuilder& builder)
      : builder_(builder),
        num_instructions_(builder.instructions_.size()),
        fault_(builder.fault_) {}
  ProgramTransaction(const ProgramTransaction&) = delete;
  ProgramTransaction& operator=(const ProgramTransaction&) = delete;
  ~ProgramTransaction() {
    if (is_committed_) return;
    auto& instructions = builder_.instructions_;
    instructions.erase(
        instructions.begin() + static_cast<std::ptrdiff_t>(num_instructions_),
        instructions.end());
    builder_.fault_ = fault_;
  }

  void Commit() { is_committed_ = true; }

 private:
  ProgramBuilder& builder_;
  const size_t num_instructions_;
  const absl::Status fault_;
  bool is_committed_ = false;
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_PROGRAM_TRANSACTION_H_
