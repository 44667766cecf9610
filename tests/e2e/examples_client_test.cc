// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Every example through the C++ client and the server program: the bytes of the
// answer, or code and text of the refusal.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/client.h"
#include "tests/e2e/server_fixture.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;

class ExampleTest : public ServerTest,
                    public ::testing::WithParamInterface<Example> {};

TEST_P(ExampleTest, ThroughTheClient) {
  const Example& example = GetParam();
  const Signature& signature = example.signature;
  std::vector<Bytes> bytes;
  std::vector<TensorView> operands;
  for (size_t i = 0; i < example.operands.size(); ++i) {
    bytes.push_back(
        EncodeNumbers(signature.operands[i].type(), example.operands[i]));
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    operands.push_back({signature.operands[i], bytes[i].data()});
  }
  const auto results = client_.Compute(signature, operands);
  ASSERT_EQ(results.status().code(), example.code) << results.status();
  for (const std::string& text : example.texts) {
    EXPECT_THAT(std::string(results.status().message()), HasSubstr(text));
  }
  if (!results.ok()) return;
  ASSERT_EQ(results->size(), example.results.size());
  for (size_t i = 0; i < results->size(); ++i) {
    const OwnedTensor& result = (*results)[i];
    const Bytes actual(result.data(),
                       result.data() + result.desc().size_bytes());
    const DType type = result.desc().type();
    EXPECT_EQ(NumbersToString(type, actual),
              NumbersToString(type, EncodeNumbers(type, example.results[i])));
    EXPECT_EQ(actual, EncodeNumbers(type, example.results[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, ExampleTest,
                         ::testing::ValuesIn(AllExamples()),
                         [](const ::testing::TestParamInfo<Example>& row) {
                           return row.param.name;
                         });

}  // namespace
}  // namespace stridecast::testing
