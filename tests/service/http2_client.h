// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// An HTTP/2 client that is told frame by frame what to send, as no gRPC client
// lets itself be told. It forbids the server a dynamic header table, so that
// headers can be read without one.
// Nothing waits longer than ten seconds.

#ifndef STRIDECAST_TESTS_SERVICE_HTTP2_CLIENT_H_
#define STRIDECAST_TESTS_SERVICE_HTTP2_CLIENT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/owned_fd.h"

namespace stridecast::testing {

// What a server answered on one stream.
struct Http2Reply {
  std::vector<std::string> messages;  // of gRPC, without their prefixes
  std::string rest;                   // after the last whole one
  std::map<std::string, std::string> headers;  // and trailers
  std::optional<uint32_t> reset_code;          // of RST_STREAM
};

class Http2Client {
 public:
  // `address` is "IPv4:port" or "unix:PATH" and listens.
  explicit Http2Client(const std::string& address);

  // That of its connection.
  int fd() const { return connection_.get(); }

  // What the server has set so far, by identifier.
  const std::map<uint16_t, uint32_t>& settings() const { return settings_; }

  // The rest returns false, or none, if the connection is lost or late.

  // Opens a stream with a call of `method` ("Compute"), which has so much time
  // ("8H", as gRPC has it), or says nothing of it.
  bool StartCall(uint32_t stream, const std::string& method,
                 const std::string& timeout = "");
  // Asks for all of what the server has to say, on streams to come.
  bool OpenWindows();
  // One DATA frame. `bytes` are at most 16 KiB and within the window of 64 KiB
  // that a stream begins with.
  bool SendData(uint32_t stream, absl::string_view bytes, bool is_last);
  // To the end of the stream. Frames of others are passed over.
  std::optional<Http2Reply> ReadReply(uint32_t stream);

 private:
  struct Frame {
    uint8_t type;
    uint8_t flags;
    uint32_t stream;
    std::string payload;
  };

  bool Send(absl::string_view bytes);
  bool SendFrame(uint8_t type, uint8_t flags, uint32_t stream,
                 absl::string_view payload);
  std::optional<std::string> Receive(size_t count);
  std::optional<Frame> ReceiveFrame();
  // Answers what belongs to the connection, not to a stream.
  bool Answer(const Frame& frame);

  OwnedFd connection_;
  std::map<uint16_t, uint32_t> settings_;
};

// Connections to `address`, each with so many calls of Compute, which have sent
// `message` (with its prefix) and read nothing.
std::vector<std::unique_ptr<Http2Client>> CallersThatDoNotRead(
    const std::string& address, int num_connections, uint32_t calls_of_each,
    absl::string_view message);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SERVICE_HTTP2_CLIENT_H_
