// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/test_network.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "stridecast/status_macros.h"

namespace stridecast::testing {
namespace {

// /proc/thread-self: each thread is in a namespace.
int OpenNamespace() {
  return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

void Enter(int network_namespace) {
  if (setns(network_namespace, CLONE_NEWNET) == 0) return;
  std::perror("setns");
  std::abort();
}

absl::Status MakeNamespace() {
  if (unshare(CLONE_NEWNET) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "no network namespace can be made");
}

absl::Status Ip(const std::string& arguments) {
  const std::string command = absl::StrCat("ip ", arguments);
  if (std::system(command.c_str()) == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("failed: ", command, " (ip is of the package iproute2)"));
}

std::string PortOf(int machine) { return absl::StrCat("port", machine); }

}  // namespace

std::string TestNetwork::AddressOf(int machine) {
  return absl::StrCat("10.77.0.", machine + 1);
}

absl::StatusOr<TestNetwork> TestNetwork::Create(int num_machines) {
  TestNetwork network;
  RETURN_IF_ERROR(MakeNamespace());
  network.home_ = OpenNamespace();
  RETURN_IF_ERROR(Ip("link set lo up"));
  RETURN_IF_ERROR(Ip("link add switch type bridge"));
  RETURN_IF_ERROR(Ip("address add 10.77.0.254/24 dev switch"));
  RETURN_IF_ERROR(Ip("link set switch up"));
  for (int i = 0; i < num_machines; ++i) {
    RETURN_IF_ERROR(network.AddMachine());
  }
  return network;
}

absl::Status TestNetwork::AddMachine() {
  const int machine = static_cast<int>(machines_.size());
  RETURN_IF_ERROR(MakeNamespace());
  machines_.push_back(OpenNamespace());
  Enter(home_);
  RETURN_IF_ERROR(Ip(absl::StrCat("link add ", PortOf(machine),
                                  " type veth peer name eth0 netns /proc/",
                                  getpid(), "/fd/", machines_.back())));
  RETURN_IF_ERROR(
      Ip(absl::StrCat("link set ", PortOf(machine), " master switch up")));
  const Visit visit(*this, machine);
  RETURN_IF_ERROR(Ip("link set lo up"));
  RETURN_IF_ERROR(
      Ip(absl::StrCat("address add ", AddressOf(machine), "/24 dev eth0")));
  return Ip("link set eth0 up");
}

TestNetwork::~TestNetwork() {
  for (const int machine : machines_) close(machine);
}

TestNetwork::Visit::Visit(const TestNetwork& network, int machine)
    : home_(network.home_) {
  Enter(network.machines_[static_cast<size_t>(machine)]);
}

TestNetwork::Visit::~Visit() { Enter(home_); }

absl::Status TestNetwork::Unplug(int machine) const {
  return Ip(absl::StrCat("link set ", PortOf(machine), " down"));
}

absl::Status TestNetwork::Plug(int machine) const {
  return Ip(absl::StrCat("link set ", PortOf(machine), " up"));
}

}  // namespace stridecast::testing
