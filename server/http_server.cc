// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/http_server.h"

#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "httplib.h"
#include "server/listen_address.h"
#include "server/owned_fd.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr size_t kNumThreads = 16;
// Connections beyond those that threads serve.
constexpr int kMaxWaiting = 128;
// For a connection, from the first byte of its request to the last of the
// answer; and where others wait for a thread.
constexpr std::chrono::seconds kMaxTime(5);
constexpr std::chrono::milliseconds kMaxTimeInACrowd(250);
constexpr int kPollMillis = 20;
constexpr size_t kMaxBodyBytes = 1024;  // nobody has anything to say
// Of a request; the library's limit of bodies does not hold for chunked ones,
// and it has none for headers.
constexpr size_t kMaxRequestBytes = 16 << 10;
constexpr char kPlainText[] = "text/plain; charset=utf-8";
constexpr char kPrometheusText[] = "text/plain; version=0.0.4; charset=utf-8";

struct Crowd {
  std::atomic<int> num_waiting = 0;
  std::atomic<bool> is_stopping = false;
};

// The library's own has a limit for each read, which a byte now and then
// escapes.
class Connection final : public httplib::Stream {
 public:
  Connection(int fd, const Crowd& crowd) : fd_(fd), crowd_(crowd) {}
  ~Connection() override {
    shutdown(fd_.get(), SHUT_RDWR);  // What was written arrives.
  }

  bool is_readable() const override { return Await(POLLIN); }
  bool is_writable() const override { return Await(POLLOUT); }

  // The library asks for single bytes.
  ssize_t read(char* to, size_t size) override {
    if (unread_.empty()) {
      if (!Await(POLLIN)) return -1;
      const ssize_t received = recv(fd_.get(), buffer_, sizeof(buffer_), 0);
      if (received <= 0) return received;
      num_received_ += static_cast<size_t>(received);
      if (num_received_ > kMaxRequestBytes) return -1;
      unread_ = {buffer_, static_cast<size_t>(received)};
    }
    const size_t count = unread_.copy(to, size);
    unread_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, size_t size) override {
    return Await(POLLOUT) ? send(fd_.get(), from, size, MSG_NOSIGNAL) : -1;
  }

  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return fd_.get(); }

 private:
  using Clock = std::chrono::steady_clock;

  bool IsOver() const {
    const Clock::duration age = Clock::now() - begin_;
    return age >= kMaxTime || crowd_.is_stopping ||
           (crowd_.num_waiting > 0 && age >= kMaxTimeInACrowd);
  }
  bool Await(short event) const {
    while (!IsOver()) {
      pollfd waiting = {fd_.get(), event, 0};
      if (poll(&waiting, 1, kPollMillis) > 0) return true;
    }
    return false;
  }

  const OwnedFd fd_;
  const Crowd& crowd_;
  const Clock::time_point begin_ = Clock::now();
  size_t num_received_ = 0;
  char buffer_[4096];
  std::string_view unread_;
};

class Threads final : public httplib::TaskQueue {
 public:
  explicit Threads(Crowd& crowd) : crowd_(crowd), threads_(kNumThreads) {}

  // `task` ends in BoundedServer::process_and_close_socket.
  void enqueue(std::function<void()> task) override {
    if (crowd_.num_waiting >= kMaxWaiting) {
      task();
      return;
    }
    ++crowd_.num_waiting;
    threads_.enqueue([this, task = std::move(task)] {
      --crowd_.num_waiting;
      task();
    });
  }
  void shutdown() override { threads_.shutdown(); }

 private:
  Crowd& crowd_;
  httplib::ThreadPool threads_;
};

}  // namespace

class BoundedServer final : public httplib::Server {
 public:
  BoundedServer() {
    new_task_queue = [this] { return new Threads(crowd_); };
    set_payload_max_length(kMaxBodyBytes);
    // Without SO_REUSEPORT, which would let two servers share the port.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
  }

  // After binding: the library's queue has room for five.
  void AcceptMany() { ::listen(svr_sock_, kMaxWaiting); }

  void Stop() {
    crowd_.is_stopping = true;
    stop();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket, crowd_);
    if (crowd_.num_waiting >= kMaxWaiting) return false;
    // Many ranges of an answer are many times the answer.
    const auto without_ranges = [](httplib::Request& request) {
      request.ranges.clear();
    };
    bool is_closed = false;
    return process_request(connection, /*close_connection=*/true, is_closed,
                           without_ranges);
  }

  Crowd crowd_;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    const std::string& address, Answers answers) {
  auto server = std::make_unique<BoundedServer>();
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
  server->AcceptMany();
  return std::unique_ptr<HttpServer>(
      new HttpServer(WithBoundPort(address, port), std::move(server)));
}

HttpServer::HttpServer(std::string address,
                       std::unique_ptr<BoundedServer> server)
    : address_(std::move(address)),
      server_(std::move(server)),
      listener_([this] {
        server_->listen_after_bind();
        has_ended_ = true;
      }) {}

HttpServer::~HttpServer() {
  // stop() does nothing before the loop runs.
  while (!server_->is_running() && !has_ended_) std::this_thread::yield();
  server_->Stop();
}

}  // namespace stridecast
