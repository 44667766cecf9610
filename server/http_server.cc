// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/http_server.h"

#include <sys/socket.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "httplib.h"
#include "server/listen_address.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr int kNumThreads = 2;
constexpr time_t kTimeoutSeconds = 5;
constexpr size_t kMaxBodyBytes = 1024;  // nobody has anything to say
constexpr char kPlainText[] = "text/plain; charset=utf-8";
constexpr char kPrometheusText[] = "text/plain; version=0.0.4; charset=utf-8";

void SetLimits(httplib::Server& server) {
  server.new_task_queue = [] { return new httplib::ThreadPool(kNumThreads); };
  server.set_read_timeout(kTimeoutSeconds);
  server.set_write_timeout(kTimeoutSeconds);
  // Or whoever keeps two connections open keeps everybody else out.
  server.set_keep_alive_max_count(1);
  server.set_payload_max_length(kMaxBodyBytes);
  // Without SO_REUSEPORT, which would let two servers share the port.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    const std::string& address, Answers answers) {
  auto server = std::make_unique<httplib::Server>();
  SetLimits(*server);
  server->Get("/metrics",
              [metrics = std::move(answers.metrics)](
                  const httplib::Request&, httplib::Response& response) {
                response.set_content(metrics(), kPrometheusText);
              });
  server->Get("/livez",
              [](const httplib::Request&, httplib::Response& response) {
                response.set_content("live\n", kPlainText);
              });
  server->Get(
      "/readyz", [is_ready = std::move(answers.is_ready)](
                     const httplib::Request&, httplib::Response& response) {
        const bool ready = is_ready();
        response.status = ready ? 200 : 503;
        response.set_content(ready ? "ready\n" : "draining\n", kPlainText);
      });

  RETURN_IF_ERROR(CheckListenAddress(address));
  const HostPort asked = SplitHostPort(address);
  int port = asked.port;
  if (port == 0) {
    port = server->bind_to_any_port(asked.host);
  } else if (!server->bind_to_port(asked.host, port)) {
    port = -1;
  }
  if (port < 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address,
                     ": the address is in use or not this machine's"));
  }
  return std::unique_ptr<HttpServer>(
      new HttpServer(WithBoundPort(address, port), std::move(server)));
}

HttpServer::HttpServer(std::string address,
                       std::unique_ptr<httplib::Server> server)
    : address_(std::move(address)),
      server_(std::move(server)),
      listener_([this] {
        server_->listen_after_bind();
        has_ended_ = true;
      }) {}

HttpServer::~HttpServer() {
  // stop() does nothing before the loop runs.
  while (!server_->is_running() && !has_ended_) std::this_thread::yield();
  server_->stop();
}

}  // namespace stridecast
