// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/listen_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/un.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace stridecast {
namespace {

constexpr absl::string_view kUnixPrefix = "unix:";
constexpr absl::string_view kAbstractPrefix = "unix-abstract:";
// A path ends with a zero byte, an abstract name begins with one.
constexpr size_t kMaxNameBytes = sizeof(sockaddr_un::sun_path) - 1;

absl::Status AddressError(absl::string_view address, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("\"", address, "\": ", what));
}

absl::Status CheckNameBytes(absl::string_view address, absl::string_view what,
                            absl::string_view name) {
  if (name.size() <= kMaxNameBytes) return absl::OkStatus();
  return AddressError(
      address, absl::StrCat("the ", what, " has ", name.size(),
                            " bytes, a socket's at most ", kMaxNameBytes));
}

absl::Status CheckUnixAddress(absl::string_view address) {
  const absl::string_view path = address.substr(kUnixPrefix.size());
  if (!absl::StartsWith(path, "/")) {
    return AddressError(address, "the path of a socket must begin with /");
  }
  if (absl::StrContains(path, '%')) {
    return AddressError(address, "a path with %, which gRPC would decode");
  }
  return CheckNameBytes(address, "path", path);
}

absl::Status CheckAbstractAddress(absl::string_view address) {
  const absl::string_view name = address.substr(kAbstractPrefix.size());
  if (name.empty()) return AddressError(address, "a socket must have a name");
  return CheckNameBytes(address, "name", name);
}

// As getaddrinfo() takes numbers; names may be known elsewhere.
absl::Status CheckHost(absl::string_view address, absl::string_view host) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  absl::string_view numbers = host;
  if (absl::ConsumePrefix(&numbers, "[")) {
    absl::ConsumeSuffix(&numbers, "]");
    hints.ai_family = AF_INET6;
  } else if (host.find_first_not_of("0123456789.") == absl::string_view::npos) {
    hints.ai_family = AF_INET;
  } else {
    const bool is_name = std::all_of(host.begin(), host.end(), [](char c) {
      return absl::ascii_isalnum(c) || absl::StrContains("-._", c);
    });
    return is_name ? absl::OkStatus()
                   : AddressError(address,
                                  "a host has letters, digits, dots, dashes");
  }
  addrinfo* found = nullptr;
  if (getaddrinfo(std::string(numbers).c_str(), nullptr, &hints, &found) != 0) {
    return AddressError(address,
                        absl::StrCat("\"", numbers, "\" is no address of IPv",
                                     hints.ai_family == AF_INET ? 4 : 6));
  }
  freeaddrinfo(found);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckListenAddress(absl::string_view address) {
  if (absl::StartsWith(address, kUnixPrefix)) return CheckUnixAddress(address);
  if (absl::StartsWith(address, kAbstractPrefix)) {
    return CheckAbstractAddress(address);
  }
  if (std::any_of(address.begin(), address.end(), absl::ascii_isspace)) {
    return AddressError(address, "neither a host nor a port has spaces");
  }
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) {
    return AddressError(
        address, "is none of host:port, unix:/path and unix-abstract:name");
  }
  const absl::string_view host = address.substr(0, colon);
  const bool in_brackets =
      absl::StartsWith(host, "[") && absl::EndsWith(host, "]");
  if (absl::StrContains(host, ':') && !in_brackets) {
    return AddressError(address,
                        "an IPv6 host stands in brackets, [::1]:50051");
  }
  const absl::string_view digits = address.substr(colon + 1);
  int port;
  if (!std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(digits, &port) || port > 65535) {
    return AddressError(address, "the port is not a number from 0 to 65535");
  }
  return CheckHost(address, host);
}

bool IsServedBy(absl::string_view address, absl::string_view other) {
  const auto port_of_any_host = [](absl::string_view text) {
    return absl::ConsumePrefix(&text, "0.0.0.0:") ||
                   absl::ConsumePrefix(&text, "[::]:")
               ? text
               : absl::string_view();
  };
  const absl::string_view port = port_of_any_host(address);
  return !port.empty() && port != "0" && port == port_of_any_host(other);
}

bool IsUnixSocket(absl::string_view address) {
  return absl::StartsWith(address, kUnixPrefix) ||
         absl::StartsWith(address, kAbstractPrefix);
}

bool IsLocalOnly(absl::string_view address) {
  if (IsUnixSocket(address)) return true;
  const absl::string_view host = address.substr(0, address.rfind(':'));
  in_addr parsed;
  // Text such as 127.evil.example is a name.
  return host == "localhost" || host == "[::1]" ||
         (inet_pton(AF_INET, std::string(host).c_str(), &parsed) == 1 &&
          ntohl(parsed.s_addr) >> 24 == 127);
}

std::optional<absl::string_view> SocketPathOf(absl::string_view address) {
  if (!absl::ConsumePrefix(&address, kUnixPrefix)) return std::nullopt;
  return address;
}

absl::string_view AbstractNameOf(absl::string_view address) {
  return absl::StripPrefix(address, kAbstractPrefix);
}

HostPort SplitHostPort(absl::string_view address) {
  const size_t colon = address.rfind(':');
  absl::string_view host = address.substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  HostPort parts{std::string(host), 0};
  // Of a checked address a number.
  (void)absl::SimpleAtoi(address.substr(colon + 1), &parts.port);
  return parts;
}

std::string WithBoundPort(absl::string_view address, int port) {
  if (absl::StartsWith(address, kUnixPrefix) ||
      absl::StartsWith(address, kAbstractPrefix)) {
    return std::string(address);
  }
  return absl::StrCat(address.substr(0, address.rfind(':')), ":", port);
}

}  // namespace stridecast
