// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What tests of the command line share: none of them sees the variables of the
// shell that starts it.

#ifndef STRIDECAST_TESTS_SERVICE_COMMAND_LINE_TESTING_H_
#define STRIDECAST_TESTS_SERVICE_COMMAND_LINE_TESTING_H_

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "server/command_line.h"

namespace stridecast {

class NoVariables final : public ::testing::Environment {
 public:
  void SetUp() override {
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text(*entry);
      if (!text.starts_with("STRIDECAST_")) continue;
      names.emplace_back(text.substr(0, text.find('=')));
    }
    for (const std::string& name : names) unsetenv(name.c_str());
  }
};

inline ::testing::Environment* const kNoVariables =
    ::testing::AddGlobalTestEnvironment(new NoVariables);

inline CommandLine Parse(const std::vector<const char*>& flags) {
  std::vector<const char*> arguments = {"stridecast-server"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace stridecast

#endif  // STRIDECAST_TESTS_SERVICE_COMMAND_LINE_TESTING_H_
