// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/service/http2_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace stridecast::testing {
namespace {

// RFC 9113, sections 6 and 11.
constexpr uint8_t kData = 0;
constexpr uint8_t kHeaders = 1;
constexpr uint8_t kRstStream = 3;
constexpr uint8_t kSettings = 4;
constexpr uint8_t kPing = 6;
constexpr uint8_t kGoAway = 7;
constexpr uint8_t kWindowUpdate = 8;

constexpr uint8_t kEndStream = 0x1;
constexpr uint8_t kAck = 0x1;
constexpr uint8_t kEndHeaders = 0x4;

constexpr uint16_t kHeaderTableSize = 1;

constexpr size_t kFrameHeaderBytes = 9;
constexpr size_t kMessagePrefixBytes = 5;

std::string BigEndian(uint64_t value, int num_bytes) {
  std::string bytes;
  for (int i = num_bytes - 1; i >= 0; --i) {
    bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
  return bytes;
}

uint32_t FromBigEndian(absl::string_view bytes) {
  uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

// A header field, literal and never indexed, without Huffman (RFC 7541, 6.2.3).
// Both texts are shorter than 127 bytes.
std::string Field(absl::string_view name, absl::string_view value) {
  return absl::StrCat("\x10", std::string(1, static_cast<char>(name.size())),
                      name, std::string(1, static_cast<char>(value.size())),
                      value);
}

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
        FromBigEndian(absl::string_view(reply.rest).substr(1, 4));
    if (reply.rest.size() < end) return;
    reply.messages.push_back(
        reply.rest.substr(kMessagePrefixBytes, end - kMessagePrefixBytes));
    reply.rest.erase(0, end);
  }
}

}  // namespace

std::string WithPrefix(absl::string_view message) {
  return absl::StrCat(BigEndian(0, 1), BigEndian(message.size(), 4), message);
}

Http2Client::Http2Client(const std::string& address)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const std::vector<std::string> parts = absl::StrSplit(address, ':');
  sockaddr_in target = {};
  target.sin_family = AF_INET;
  int port = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &port)) return;
  target.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, parts[0].c_str(), &target.sin_addr);
  const timeval patience = {.tv_sec = 10, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // If it fails, so does all that follows.
  (void)connect(socket_, reinterpret_cast<sockaddr*>(&target), sizeof(target));
  Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  SendFrame(kSettings, 0, 0,
            absl::StrCat(BigEndian(kHeaderTableSize, 2), BigEndian(0, 4)));
}

Http2Client::~Http2Client() { close(socket_); }

bool Http2Client::StartCall(uint32_t stream, const std::string& method) {
  return SendFrame(
      kHeaders, kEndHeaders, stream,
      absl::StrCat(
          Field(":method", "POST"), Field(":scheme", "http"),
          Field(":path", absl::StrCat("/stridecast.v1.TensorCompute/", method)),
          Field(":authority", "localhost"),
          Field("content-type", "application/grpc"), Field("te", "trailers")));
}

bool Http2Client::SendData(uint32_t stream, absl::string_view bytes,
                           bool is_last) {
  return SendFrame(kData, is_last ? kEndStream : 0, stream, bytes);
}

std::optional<Http2Reply> Http2Client::ReadReply(uint32_t stream) {
  Http2Reply reply;
  for (;;) {
    const std::optional<Frame> frame = ReceiveFrame();
    if (!frame || !Answer(*frame)) return std::nullopt;
    if (frame->stream != stream) continue;
    switch (frame->type) {
      case kData:
        reply.rest += frame->payload;
        TakeMessages(reply);
        break;
      case kHeaders:
        if (!(frame->flags & kEndHeaders) ||
            !FieldReader(frame->payload).ReadAll(reply.headers)) {
          return std::nullopt;
        }
        break;
      case kRstStream:
        reply.reset_code = FromBigEndian(frame->payload);
        return reply;
      default:
        continue;
    }
    if (frame->flags & kEndStream) return reply;
  }
}

bool Http2Client::Send(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool Http2Client::SendFrame(uint8_t type, uint8_t flags, uint32_t stream,
                            absl::string_view payload) {
  return Send(absl::StrCat(BigEndian(payload.size(), 3), BigEndian(type, 1),
                           BigEndian(flags, 1), BigEndian(stream, 4), payload));
}

std::optional<std::string> Http2Client::Receive(size_t count) {
  std::string bytes(count, '\0');
  for (size_t at = 0; at < count;) {
    const ssize_t received = recv(socket_, bytes.data() + at, count - at, 0);
    if (received <= 0) return std::nullopt;
    at += static_cast<size_t>(received);
  }
  return bytes;
}

std::optional<Http2Client::Frame> Http2Client::ReceiveFrame() {
  const std::optional<std::string> header = Receive(kFrameHeaderBytes);
  if (!header) return std::nullopt;
  const absl::string_view bytes = *header;
  std::optional<std::string> payload =
      Receive(FromBigEndian(bytes.substr(0, 3)));
  if (!payload) return std::nullopt;
  return Frame{static_cast<uint8_t>(bytes[3]), static_cast<uint8_t>(bytes[4]),
               FromBigEndian(bytes.substr(5)) & 0x7FFFFFFF,
               *std::move(payload)};
}

bool Http2Client::Answer(const Frame& frame) {
  switch (frame.type) {
    case kSettings:
      return frame.flags & kAck || SendFrame(kSettings, kAck, 0, "");
    case kPing:
      return frame.flags & kAck || SendFrame(kPing, kAck, 0, frame.payload);
    case kData: {
      // What was received may be sent again, on the stream and on the
      // connection.
      const std::string count = BigEndian(frame.payload.size(), 4);
      return frame.payload.empty() ||
             (SendFrame(kWindowUpdate, 0, frame.stream, count) &&
              SendFrame(kWindowUpdate, 0, 0, count));
    }
    case kGoAway:
      return false;
    default:
      return true;
  }
}

}  // namespace stridecast::testing
