// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How a case of the property tests is checked: against the oracle, judge.h, on
// engines that differ in everything that no result may depend on.

#ifndef STRIDECAST_TESTS_UNIT_ENGINE_CHECK_CASE_H_
#define STRIDECAST_TESTS_UNIT_ENGINE_CHECK_CASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/engine/engine.h"
#include "tests/support/judge.h"
#include "tests/support/random_program.h"

namespace stridecast::testing {

// The number in that environment variable, if it is set.
uint64_t FromEnvironment(const char* name, uint64_t otherwise);

struct Knobs {
  const char* target;
  int num_threads;
  int64_t block_bytes;
  double tile_cost_ns;
  int64_t cache_bytes = 0;
};
struct Variant {
  std::string name;
  std::unique_ptr<Engine> engine;
};
// Those of `knobs` that this machine can run.
std::vector<Variant> MakeVariants(absl::Span<const Knobs> knobs);

// What the results of a case must be: the oracle's, and what it cannot fix to
// the bit those of `engine`, judged.
Judgement Expected(const RandomCase& c, const Engine& engine);

// What is wrong with a case on an engine; "" if nothing.
std::string Check(const RandomCase& c, const Judgement& judgement,
                  const Engine& engine, bool in_ranges, uint64_t seed);

// The smallest request found that is wrong as `c` is, and what is; `judging`
// is the engine for Expected.
std::string Shrunk(const RandomCase& c, const Engine& judging,
                   const Engine& engine, bool in_ranges, uint64_t seed);

// From now on a run that ends with a signal, as one that touches memory outside
// of a buffer does, says the case that it was at.
void ReportCrashes();
void SetCurrentCase(absl::string_view name);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_UNIT_ENGINE_CHECK_CASE_H_
