// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A proxy whose server dies while it replies, as a client sees it: a reply
// begins and its stream is reset, the connection stays.

#ifndef STRIDECAST_TESTS_E2E_RESETTING_SERVER_H_
#define STRIDECAST_TESTS_E2E_RESETTING_SERVER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/owned_fd.h"
#include "tests/support/http2_bytes.h"

namespace stridecast {

// Of one connection.
class ResettingServer {
 public:
  // Its streams end with `error_code` (RFC 9113, section 7).
  explicit ResettingServer(uint32_t error_code)
      : error_code_(error_code), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_.get(), any, size) == 0 &&
        listen(listener_.get(), 1) == 0 &&
        getsockname(listener_.get(), any, &size) == 0) {
      target_ = absl::StrCat("ipv4:127.0.0.1:", ntohs(address.sin_port));
    }
    thread_ = std::thread([this] { Run(); });
  }
  ~ResettingServer() {
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

  // Empty if it could not listen.
  const std::string& target() const { return target_; }
  int num_calls() const { return num_calls_; }

 private:
  // Until the client closes the connection.
  void Run() {
    namespace http2 = testing::http2;
    const OwnedFd connection(accept(listener_.get(), nullptr, nullptr));
    if (!connection.is_open()) return;
    Send(connection, http2::Frame(http2::kSettings, 0, 0, ""));
    std::string received;
    size_t preface = sizeof(http2::kPreface) - 1;
    std::array<char, 4096> piece;
    ssize_t size = 0;
    while ((size = recv(connection.get(), piece.data(), piece.size(), 0)) > 0) {
      received.append(piece.data(), static_cast<size_t>(size));
      if (received.size() < preface) continue;
      received.erase(0, std::exchange(preface, 0));
      while (const size_t frame = http2::WholeFrameBytes(received)) {
        Answer(connection, absl::string_view(received).substr(0, frame));
        received.erase(0, frame);
      }
    }
  }
  void Answer(const OwnedFd& connection, absl::string_view frame) {
    namespace http2 = testing::http2;
    const auto type = static_cast<uint8_t>(frame[3]);
    const auto flags = static_cast<uint8_t>(frame[4]);
    if (type == http2::kSettings && (flags & http2::kAck) == 0) {
      Send(connection, http2::Frame(http2::kSettings, http2::kAck, 0, ""));
    } else if (type == http2::kHeaders) {
      ++num_calls_;
      const uint32_t stream = http2::FromBigEndian(frame.substr(5, 4));
      const std::string fields =
          absl::StrCat(http2::Field(":status", "200"),
                       http2::Field("content-type", "application/grpc"));
      Send(connection,
           http2::Frame(http2::kHeaders, http2::kEndHeaders, stream, fields));
      Send(connection, http2::Frame(http2::kRstStream, 0, stream,
                                    http2::BigEndian(error_code_, 4)));
    }
  }
  static void Send(const OwnedFd& connection, const std::string& bytes) {
    send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  const uint32_t error_code_;
  const OwnedFd listener_;
  std::string target_;
  std::atomic<int> num_calls_ = 0;
  std::thread thread_;
};

}  // namespace stridecast

#endif  // STRIDECAST_TESTS_E2E_RESETTING_SERVER_H_
