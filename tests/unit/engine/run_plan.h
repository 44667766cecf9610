// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Runs a plan the way a hostile but correct caller does: every buffer is of
// exactly its size, at an odd address between sentinels or at the edge of a
// page that nothing may touch; scratch and results hold rubbish first; streamed
// operands come in pieces and not before their time.

#ifndef STRIDECAST_TESTS_UNIT_ENGINE_RUN_PLAN_H_
#define STRIDECAST_TESTS_UNIT_ENGINE_RUN_PLAN_H_

#include <cstring>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/engine/engine.h"
#include "tests/support/random_program.h"
#include "tests/support/reference.h"

namespace stridecast::testing {

// Elements as they lie in memory.
template <class T>
Bytes BytesOf(const std::vector<T>& elements) {
  Bytes bytes(elements.size() * sizeof(T));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

// Runs all of `plan` at once. Expects OK.
std::vector<Bytes> RunWhole(const Plan& plan, absl::Span<const Bytes> operands);

// Runs `plan` in random outer ranges; streamed operands are cut at random, and
// hold rubbish past the bytes that the range may read. Returns what is wrong
// against `expected`, results whole or too early called final; "" if nothing.
std::string CheckRun(const Plan& plan, absl::Span<const Bytes> operands,
                     absl::Span<const Bytes> expected, bool in_ranges,
                     Random random);

// What the plan says of itself and must hold for every plan; "" if it does.
std::string CheckPlan(const Plan& plan, const Signature& signature,
                      absl::Span<const Bytes> expected);

// On one thread of that SIMD target. The same, which is checked, whether
// results are written past the caches or not.
std::vector<Bytes> RunOn(const std::string& target, const Signature& signature,
                         const std::vector<Bytes>& operands);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_UNIT_ENGINE_RUN_PLAN_H_
