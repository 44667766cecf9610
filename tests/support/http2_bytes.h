// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What HTTP/2 looks like on the wire, for clients that no gRPC library would
// be.

#ifndef STRIDECAST_TESTS_SUPPORT_HTTP2_BYTES_H_
#define STRIDECAST_TESTS_SUPPORT_HTTP2_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stridecast::testing::http2 {

inline constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// RFC 9113, sections 6 and 11.
inline constexpr uint8_t kData = 0;
inline constexpr uint8_t kHeaders = 1;
inline constexpr uint8_t kRstStream = 3;
inline constexpr uint8_t kSettings = 4;
inline constexpr uint8_t kPing = 6;
inline constexpr uint8_t kGoAway = 7;
inline constexpr uint8_t kWindowUpdate = 8;

inline constexpr uint8_t kEndStream = 0x1;
inline constexpr uint8_t kAck = 0x1;
inline constexpr uint8_t kEndHeaders = 0x4;

inline constexpr uint16_t kHeaderTableSize = 1;
inline constexpr uint16_t kInitialWindowSize = 4;
inline constexpr uint16_t kMaxFrameSize = 5;

inline constexpr size_t kFrameHeaderBytes = 9;

inline std::string BigEndian(uint64_t value, int num_bytes) {
  std::string bytes;
  for (int i = num_bytes - 1; i >= 0; --i) {
    bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
  return bytes;
}

inline uint32_t FromBigEndian(absl::string_view bytes) {
  uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

// Of the frame that `bytes` begin with, header and all; 0: it is not whole.
inline size_t WholeFrameBytes(absl::string_view bytes) {
  if (bytes.size() < kFrameHeaderBytes) return 0;
  const size_t size = kFrameHeaderBytes + FromBigEndian(bytes.substr(0, 3));
  return bytes.size() < size ? 0 : size;
}

inline std::string FrameHeader(size_t length, uint8_t type, uint8_t flags,
                               uint32_t stream) {
  return absl::StrCat(BigEndian(length, 3), BigEndian(type, 1),
                      BigEndian(flags, 1), BigEndian(stream, 4));
}

inline std::string Frame(uint8_t type, uint8_t flags, uint32_t stream,
                         absl::string_view payload) {
  return absl::StrCat(FrameHeader(payload.size(), type, flags, stream),
                      payload);
}

// A header field, literal and never indexed, without Huffman (RFC 7541, 6.2.3).
// Both texts are shorter than 127 bytes.
inline std::string Field(absl::string_view name, absl::string_view value) {
  return absl::StrCat("\x10", BigEndian(name.size(), 1), name,
                      BigEndian(value.size(), 1), value);
}

// The headers of a call; `path` is "/package.Service/Method".
inline std::string CallFields(absl::string_view path) {
  return absl::StrCat(Field(":method", "POST"), Field(":scheme", "http"),
                      Field(":path", path), Field(":authority", "localhost"),
                      Field("content-type", "application/grpc"),
                      Field("te", "trailers"));
}

// A message as gRPC sends it: not compressed, its length, its bytes.
inline std::string WithPrefix(absl::string_view message) {
  return absl::StrCat(BigEndian(0, 1), BigEndian(message.size(), 4), message);
}

}  // namespace stridecast::testing::http2

#endif  // STRIDECAST_TESTS_SUPPORT_HTTP2_BYTES_H_
