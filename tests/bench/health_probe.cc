// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/health_probe.h"

#include <grpcpp/grpcpp.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <sstream>

#include "grpc/health/v1/health.grpc.pb.h"

namespace stridecast::bench {
namespace {

using Clock = std::chrono::steady_clock;
using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

constexpr timespec kInterval = {0, 20'000'000};
constexpr std::chrono::seconds kDeadline(1);
// It shares a core with the load: its own turn must not be what is measured.
constexpr int kFirst = -20;

bool IsServing(Health::Stub& stub, const char* service) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kDeadline);
  HealthCheckRequest request;
  request.set_service(service);
  HealthCheckResponse response;
  return stub.Check(&context, request, &response).ok() &&
         response.status() == HealthCheckResponse::SERVING;
}

}  // namespace

int ProbeHealth(const std::string& address) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  setpriority(PRIO_PROCESS, 0, kFirst);  // without the right to it: as it is
  const auto stub = Health::NewStub(
      grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  do {
    for (const char* const service : {"liveness", "readiness"}) {
      const auto began = Clock::now();
      const bool is_serving = IsServing(*stub, service);
      const std::chrono::duration<double> elapsed = Clock::now() - began;
      std::printf("%g %d\n", elapsed.count(), is_serving ? 1 : 0);
    }
    std::fflush(stdout);
  } while (sigtimedwait(&stop, nullptr, &kInterval) < 0);
  return 0;
}

HealthProbe::Answers HealthProbe::Stop() {
  process_.Signal(SIGTERM);
  process_.WaitForExit();
  Answers answers;
  std::istringstream lines(process_.out());
  double seconds;
  int is_serving;
  while (lines >> seconds >> is_serving) {
    answers.seconds.push_back(seconds);
    if (is_serving == 0) ++answers.num_not_serving;
  }
  return answers;
}

}  // namespace stridecast::bench
