// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The examples of SEMANTICS.md through the core.

#include "tests/support/examples.h"

#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/engine/run_plan.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;

const Engine& TestEngine() {
  static const Engine* engine =
      Engine::Create(EngineOptions()).value().release();
  return *engine;
}

class ExampleTest : public ::testing::TestWithParam<Example> {};

TEST_P(ExampleTest, Core) {
  const Example& example = GetParam();
  const auto plan = TestEngine().Prepare(example.signature);
  ASSERT_EQ(plan.status().code(), example.code) << plan.status();
  for (const std::string& text : example.texts) {
    EXPECT_THAT(std::string(plan.status().message()), HasSubstr(text));
  }
  if (!plan.ok()) return;
  std::vector<Bytes> operands;
  for (size_t i = 0; i < example.operands.size(); ++i) {
    operands.push_back(EncodeNumbers(example.signature.operands[i].type(),
                                     example.operands[i]));
  }
  const std::vector<Bytes> results = RunWhole(**plan, operands);
  ASSERT_EQ(results.size(), example.results.size());
  for (size_t r = 0; r < results.size(); ++r) {
    const DType type = (*plan)->results()[r].type();
    const Bytes expected = EncodeNumbers(type, example.results[r]);
    EXPECT_EQ(results[r], expected)
        << "result " << r << " is " << NumbersToString(type, results[r])
        << "\nexpected    " << NumbersToString(type, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, ExampleTest,
                         ::testing::ValuesIn(AllExamples()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace stridecast::testing
