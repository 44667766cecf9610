// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that share one server program, started before the first test of a suite
// and ended after its last. STRIDECAST_SERVER_PROGRAM says where it is.

#ifndef STRIDECAST_TESTS_E2E_SERVER_FIXTURE_H_
#define STRIDECAST_TESTS_E2E_SERVER_FIXTURE_H_

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stridecast/client.h"
#include "tests/support/server_process.h"

namespace stridecast::testing {

class ServerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<ServerProcess>(
        STRIDECAST_SERVER_PROGRAM,
        std::vector<std::string>{"--listen=127.0.0.1:0",
                                 "--drain-delay-seconds=0"});
    address_ = server_->WaitForAddress();
    ASSERT_FALSE(address_.empty()) << server_->err();
  }
  static void TearDownTestSuite() { server_.reset(); }

  const Client client_ = Client::Connect(address_);

 private:
  inline static std::unique_ptr<ServerProcess> server_;
  inline static std::string address_;
};

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_E2E_SERVER_FIXTURE_H_
