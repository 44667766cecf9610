// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/service/http2_client.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/service/raw_socket.h"
#include "tests/support/http2_bytes.h"

namespace stridecast::testing {
namespace {

constexpr size_t kMessagePrefixBytes = 5;

// Reads header blocks that use no dynamic table (RFC 7541).
class FieldReader {
 public:
  explicit FieldReader(absl::string_view block) : block_(block) {}

  // Adds all fields. False if the block is cut off.
  bool ReadAll(std::map<std::string, std::string>& fields) {
    while (is_whole_ && !block_.empty()) {
      const auto first = static_cast<uint8_t>(block_[0]);
      if (first & 0x80) {  // indexed
        fields[NameOf(ReadNumber(7))] = "";
      } else if ((first & 0xE0) == 0x20) {  // size of the dynamic table
        ReadNumber(5);
      } else {  // literal
        const uint32_t index = ReadNumber(first & 0x40 ? 6 : 4);
        const std::string name = index == 0 ? ReadText() : NameOf(index);
        fields[name] = ReadText();
      }
    }
    return is_whole_;
  }

 private:
  // Of the static table, which nothing here depends on.
  static std::string NameOf(uint32_t index) { return absl::StrCat("#", index); }

  uint8_t ReadByte() {
    if (block_.empty()) {
      is_whole_ = false;
      return 0;
    }
    const auto byte = static_cast<uint8_t>(block_[0]);
    block_.remove_prefix(1);
    return byte;
  }

  uint32_t ReadNumber(int prefix_bits) {
    const uint32_t most = (1u << prefix_bits) - 1;
    uint32_t number = ReadByte() & most;
    if (number < most) return number;
    for (int shift = 0; shift < 28; shift += 7) {
      const uint8_t byte = ReadByte();
      number += (byte & 0x7Fu) << shift;
      if (byte < 0x80) break;
    }
    return number;
  }

  // As it was sent, where Huffman's code is used; gRPC does so for binary ones.
  std::string ReadText() {
    const uint32_t length = ReadNumber(7);
    if (length > block_.size()) {
      is_whole_ = false;
      return "";
    }
    const std::string text(block_.substr(0, length));
    block_.remove_prefix(length);
    return text;
  }

  absl::string_view block_;
  bool is_whole_ = true;
};

// Moves whole messages from `rest` to `messages`.
void TakeMessages(Http2Reply& reply) {
  while (reply.rest.size() >= kMessagePrefixBytes) {
    const size_t end =
        kMessagePrefixBytes +
        http2::FromBigEndian(absl::string_view(reply.rest).substr(1, 4));
    if (reply.rest.size() < end) return;
    reply.messages.push_back(
        reply.rest.substr(kMessagePrefixBytes, end - kMessagePrefixBytes));
    reply.rest.erase(0, end);
  }
}

}  // namespace

Http2Client::Http2Client(const std::string& address)
    : connection_(ConnectTo(address)) {
  const timeval patience = {.tv_sec = 10, .tv_usec = 0};
  setsockopt(connection_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience,
             sizeof(patience));
  setsockopt(connection_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience,
             sizeof(patience));
  const int on = 1;
  setsockopt(connection_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // Without a connection this fails, and so does all that follows.
  Send(http2::kPreface);
  SendFrame(http2::kSettings, 0, 0,
            absl::StrCat(http2::BigEndian(http2::kHeaderTableSize, 2),
                         http2::BigEndian(0, 4)));
}

bool Http2Client::StartCall(uint32_t stream, const std::string& method,
                            const std::string& timeout) {
  std::string fields =
      http2::CallFields(absl::StrCat("/stridecast.v1.TensorCompute/", method));
  if (!timeout.empty()) {
    absl::StrAppend(&fields, http2::Field("grpc-timeout", timeout));
  }
  return SendFrame(http2::kHeaders, http2::kEndHeaders, stream, fields);
}

bool Http2Client::OpenWindows() {
  constexpr uint32_t kMost = 0x7FFFFFFF;
  constexpr uint32_t kInitial = 0xFFFF;
  return SendFrame(http2::kSettings, 0, 0,
                   absl::StrCat(http2::BigEndian(http2::kInitialWindowSize, 2),
                                http2::BigEndian(kMost, 4))) &&
         SendFrame(http2::kWindowUpdate, 0, 0,
                   http2::BigEndian(kMost - kInitial, 4));
}

bool Http2Client::SendData(uint32_t stream, absl::string_view bytes,
                           bool is_last) {
  return SendFrame(http2::kData, is_last ? http2::kEndStream : 0, stream,
                   bytes);
}

std::optional<Http2Reply> Http2Client::ReadReply(uint32_t stream) {
  Http2Reply reply;
  for (;;) {
    const std::optional<Frame> frame = ReceiveFrame();
    if (!frame || !Answer(*frame)) return std::nullopt;
    if (frame->stream != stream) continue;
    switch (frame->type) {
      case http2::kData:
        reply.rest += frame->payload;
        TakeMessages(reply);
        break;
      case http2::kHeaders:
        if (!(frame->flags & http2::kEndHeaders) ||
            !FieldReader(frame->payload).ReadAll(reply.headers)) {
          return std::nullopt;
        }
        break;
      case http2::kRstStream:
        reply.reset_code = http2::FromBigEndian(frame->payload);
        return reply;
      default:
        continue;
    }
    if (frame->flags & http2::kEndStream) return reply;
  }
}

bool Http2Client::Send(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool Http2Client::SendFrame(uint8_t type, uint8_t flags, uint32_t stream,
                            absl::string_view payload) {
  return Send(http2::Frame(type, flags, stream, payload));
}

std::optional<std::string> Http2Client::Receive(size_t count) {
  std::string bytes(count, '\0');
  for (size_t at = 0; at < count;) {
    const ssize_t received =
        recv(connection_.get(), bytes.data() + at, count - at, 0);
    if (received <= 0) return std::nullopt;
    at += static_cast<size_t>(received);
  }
  return bytes;
}

std::optional<Http2Client::Frame> Http2Client::ReceiveFrame() {
  const std::optional<std::string> header = Receive(http2::kFrameHeaderBytes);
  if (!header) return std::nullopt;
  const absl::string_view bytes = *header;
  std::optional<std::string> payload =
      Receive(http2::FromBigEndian(bytes.substr(0, 3)));
  if (!payload) return std::nullopt;
  return Frame{static_cast<uint8_t>(bytes[3]), static_cast<uint8_t>(bytes[4]),
               http2::FromBigEndian(bytes.substr(5)) & 0x7FFFFFFF,
               *std::move(payload)};
}

bool Http2Client::Answer(const Frame& frame) {
  switch (frame.type) {
    case http2::kSettings:
      for (absl::string_view rest = frame.payload; rest.size() >= 6;
           rest.remove_prefix(6)) {
        settings_[static_cast<uint16_t>(http2::FromBigEndian(
            rest.substr(0, 2)))] = http2::FromBigEndian(rest.substr(2, 4));
      }
      return frame.flags & http2::kAck ||
             SendFrame(http2::kSettings, http2::kAck, 0, "");
    case http2::kPing:
      return frame.flags & http2::kAck ||
             SendFrame(http2::kPing, http2::kAck, 0, frame.payload);
    case http2::kData: {
      // What was received may be sent again, on the stream and on the
      // connection.
      const std::string count = http2::BigEndian(frame.payload.size(), 4);
      return frame.payload.empty() ||
             (SendFrame(http2::kWindowUpdate, 0, frame.stream, count) &&
              SendFrame(http2::kWindowUpdate, 0, 0, count));
    }
    case http2::kGoAway:
      return false;
    default:
      return true;
  }
}

std::vector<std::unique_ptr<Http2Client>> CallersThatDoNotRead(
    const std::string& address, int num_connections, uint32_t calls_of_each,
    absl::string_view message) {
  std::vector<std::unique_ptr<Http2Client>> callers;
  for (int i = 0; i < num_connections; ++i) {
    Http2Client& caller =
        *callers.emplace_back(std::make_unique<Http2Client>(address));
    for (uint32_t k = 0; k < calls_of_each; ++k) {
      EXPECT_TRUE(caller.StartCall(2 * k + 1, "Compute"));
      EXPECT_TRUE(caller.SendData(2 * k + 1, message, /*is_last=*/true));
    }
  }
  return callers;
}

}  // namespace stridecast::testing
