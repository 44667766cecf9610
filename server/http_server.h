// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The HTTP port for those who watch: /metrics, /livez, /readyz. Bounded: 16
// connections are served at a time, for 5 s each, or 250 ms while others wait;
// 128 wait, more are closed. One request a connection.

#ifndef STRIDECAST_SERVER_HTTP_SERVER_H_
#define STRIDECAST_SERVER_HTTP_SERVER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"

namespace stridecast {

class BoundedServer;

class HttpServer {
 public:
  struct Answers {
    std::function<std::string()> metrics;  // in Prometheus' text format
    std::function<bool()> is_ready;
  };

  // `address` is "host:port", port 0 any free one. The answers are asked for
  // until the server is destroyed. Errors: kUnavailable naming the address.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      const std::string& address, Answers answers);
  ~HttpServer();

  // With the port that was bound.
  const std::string& address() const { return address_; }

 private:
  HttpServer(std::string address, std::unique_ptr<BoundedServer> server);

  const std::string address_;
  const std::unique_ptr<BoundedServer> server_;
  std::atomic<bool> has_ended_ = false;
  std::jthread listener_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_HTTP_SERVER_H_
