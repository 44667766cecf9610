// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A network of this process's own: network namespaces, each a machine with one
// address, on a switch. Nothing outside sees it or is changed by it, and it is
// gone with the last process in it, however that ends. Needs root and ip(8).

#ifndef STRIDECAST_TESTS_SUPPORT_TEST_NETWORK_H_
#define STRIDECAST_TESTS_SUPPORT_TEST_NETWORK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stridecast::testing {

class TestNetwork {
 public:
  // The process becomes a machine of its own, at the switch: call it before
  // there is a thread, as each has a namespace. Errors: what is missing.
  static absl::StatusOr<TestNetwork> Create(int num_machines);

  TestNetwork(TestNetwork&& other) noexcept = default;
  ~TestNetwork();

  // "10.77.0.1" and so on.
  static std::string AddressOf(int machine);

  // While it lives, this thread is on `machine`, and so are the processes that
  // it starts. Aborts if that cannot be.
  class Visit {
   public:
    Visit(const TestNetwork& network, int machine);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    const int home_;
  };

  // What is sent from or to an unplugged machine is lost; nobody is told.
  absl::Status Unplug(int machine) const;
  absl::Status Plug(int machine) const;

 private:
  TestNetwork() = default;
  absl::Status AddMachine();

  std::vector<int> machines_;  // descriptors of their namespaces
  int home_ = -1;
};

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_TEST_NETWORK_H_
