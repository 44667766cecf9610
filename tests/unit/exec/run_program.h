// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Runs whole programs, pass by pass, with plain kernels.

#ifndef STRIDECAST_TESTS_UNIT_EXEC_RUN_PROGRAM_H_
#define STRIDECAST_TESTS_UNIT_EXEC_RUN_PROGRAM_H_

#include <vector>

#include "core/plan/pass_plan.h"
#include "tests/support/builders.h"
#include "tests/support/random_program.h"

namespace stridecast::testing {

struct RunOptions {
  PassPlanOptions plan;
  // Outer steps are cut here and there, tiles run in any order, operands come
  // in small segments, passes that can run as a single block do so or not, all
  // as `random` likes; null: the plain way, single blocks where they can be.
  Random* random = nullptr;
  // Counts the passes that ran as a single block, unless null.
  int* num_single_blocks = nullptr;
};

// The results' buffers.
std::vector<Bytes> RunProgram(const Signature& signature,
                              const std::vector<Bytes>& operands,
                              const RunOptions& options = {});

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_UNIT_EXEC_RUN_PROGRAM_H_
