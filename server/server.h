// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A running server: the service with health and reflection on all addresses.
//   Start → serving → Drain → gone
// Health knows four names: "liveness" is SERVING as long as the process can
// answer; "readiness", "stridecast.v1.TensorCompute" and "" (the server as a
// whole) until it drains.

#ifndef STRIDECAST_SERVER_SERVER_H_
#define STRIDECAST_SERVER_SERVER_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/engine/engine.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "server/compute_service.h"
#include "server/connection_acceptor.h"
#include "server/credentials.h"
#include "server/health_service.h"
#include "server/log.h"
#include "server/memory_guard.h"
#include "server/options.h"
#include "server/reflection_service.h"
#include "server/unknown_methods.h"
#ifdef STRIDECAST_METRICS
#include "server/http_server.h"
#include "server/metrics.h"
#endif

namespace stridecast {

class Server {
 public:
  // `options` are valid. Errors: kUnavailable naming the address that cannot be
  // had; those of Credentials::Make and Engine::Create.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerOptions& options);
  // With an engine made elsewhere; limits and threads are then its own.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerOptions& options, std::unique_ptr<Engine> engine);

  // Cancels whatever still runs.
  ~Server();

  // As in options, with the ports that were bound.
  const std::vector<std::string>& addresses() const { return addresses_; }
  const ServerOptions& options() const { return options_; }
  // Of the HTTP port; empty if there is none.
  std::string metrics_address() const;
  const Engine& engine() const { return *engine_; }
  const ComputeService& service() const { return service_; }
  const HealthService& health() const { return health_; }
  // None if it is off.
  const std::optional<ReflectionService>& reflection() const {
    return reflection_;
  }
  // Of a started server.
  const ConnectionAcceptor& acceptor() const { return *acceptor_; }
  const MemoryGuard& memory_guard() const { return *memory_guard_; }
  const Credentials& credentials() const { return *credentials_; }
  bool is_ready() const { return is_ready_; }
  // Connections that were closed because they had far too many calls, or read
  // nothing.
  int64_t num_cut_off() const { return num_cut_off_; }
  grpc::Server& grpc_server() { return *grpc_server_; }

  // Says NOT_SERVING, admits calls for the drain delay; then tells clients to
  // connect elsewhere, serves what was on its way, and cancels what still runs
  // at the drain deadline. Blocks; once.
  void Drain();

 private:
  Server(const ServerOptions& options, std::unique_ptr<Credentials> credentials,
         std::unique_ptr<Engine> engine);
  std::vector<CallObserver*> Observers();
  absl::Status Listen();
  void GuardMemory();
  void RegisterServices(grpc::ServerBuilder& builder);
  // Gives connections of that address to the server that is built.
  std::function<void(int listening_fd, int fd)> TakerOf(
      absl::string_view address, grpc::ServerBuilder& builder) const;
  // Ends a call that is far too many for its connection, and that.
  void CloseForCalls(grpc::CallbackServerContext& context);
  // Ends calls that wait for their callers for too long, then the connections
  // of those who do not read.
  void EndLate();
  absl::Status ListenForMetrics();
  // Ends calls whose replies were read.
  void EndCallsThatWereRead();
  void WaitForReplies(std::chrono::steady_clock::time_point deadline);
  void WaitForClientsToLeave(std::chrono::steady_clock::time_point deadline);
  // Cancels all calls; connections that do not end with them are closed: how
  // many.
  int64_t ShutDown();

  const ServerOptions options_;
  const std::unique_ptr<Credentials> credentials_;
  const std::unique_ptr<Engine> engine_;
  std::atomic<bool> is_ready_ = false;
  CallLog call_log_;
  std::atomic<int64_t> num_cut_off_ = 0;
  RateLimiter close_log_limit_{1};
#ifdef STRIDECAST_METRICS
  Metrics metrics_;
#endif
  HeldBytes held_;
  ComputeService service_;
  HealthService health_;
  UnknownMethods unknown_methods_;
  std::optional<ReflectionService> reflection_;
  std::vector<std::string> addresses_;
  std::unique_ptr<grpc::Server> grpc_server_;
  std::optional<ConnectionAcceptor> acceptor_;
  std::optional<MemoryGuard> memory_guard_;
#ifdef STRIDECAST_METRICS
  std::unique_ptr<HttpServer> http_server_;
#endif
  std::jthread watcher_;  // EndLate
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_SERVER_H_
