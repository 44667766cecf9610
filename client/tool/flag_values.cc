// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/flag_values.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace stridecast {
namespace {

std::string Refused(const std::string& text, absl::string_view wanted) {
  return absl::StrCat("\"", absl::StripAsciiWhitespace(text), "\" is not ",
                      wanted);
}

// What people paste from a browser or another tool.
constexpr absl::string_view kForeignSchemes[] = {
    "http://", "https://", "grpc://", "grpcs://", "tcp://"};

// Names whose form is gRPC's own business.
constexpr absl::string_view kSchemes[] = {
    "dns:", "unix:", "unix-abstract:", "ipv4:", "ipv6:", "xds:", "vsock:"};

bool IsPort(absl::string_view text) {
  int port = 0;
  return std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &port) && port >= 1 && port <= 65535;
}

CLI::Validator Named(const char* name,
                     std::function<std::string(std::string&)> check) {
  return CLI::Validator(std::move(check), "", name);
}

}  // namespace

std::string CheckSeconds(const std::string& text, bool may_be_zero) {
  const double least = may_be_zero ? 0 : 1e-6;
  double seconds = 0;
  // Not (seconds < least): nan is refused.
  if (absl::SimpleAtod(text, &seconds) && seconds >= least &&
      seconds <= kMaxSeconds) {
    return "";
  }
  return Refused(text, absl::StrCat("a number of seconds from ",
                                    may_be_zero ? "0" : "0.000001", " to ",
                                    static_cast<int64_t>(kMaxSeconds)));
}

std::string CheckWhole(const std::string& text, int64_t least, int64_t most) {
  int64_t number = 0;
  if (absl::SimpleAtoi(text, &number) && number >= least && number <= most) {
    return "";
  }
  return Refused(text,
                 absl::StrCat("a whole number from ", least, " to ", most));
}

std::string ReadByteSize(std::string& text, int64_t least, int64_t most) {
  constexpr std::pair<absl::string_view, int> kUnits[] = {
      {"kb", 10}, {"mb", 20}, {"gb", 30}, {"k", 10},
      {"m", 20},  {"g", 30},  {"b", 0},   {"", 0}};
  const std::string lower = absl::AsciiStrToLower(text);
  for (const auto& [unit, shift] : kUnits) {
    absl::string_view digits = lower;
    if (!absl::ConsumeSuffix(&digits, unit)) continue;
    int64_t number = 0;
    if (!absl::SimpleAtoi(digits, &number) || number > most >> shift ||
        number < 0 || number << shift < least) {
      break;
    }
    text = absl::StrCat(number << shift);
    return "";
  }
  return Refused(text, absl::StrCat("a number of bytes from ", least, " to ",
                                    most, ", as in 64kb or 4mb"));
}

std::string CheckAddress(const std::string& text) {
  const auto refused = [&text](const auto&... parts) {
    return absl::StrCat("\"", text, "\" is no address: ", parts...);
  };
  if (text.empty()) {
    return refused("it is empty; give host:port or unix:/path");
  }
  for (absl::string_view scheme : kForeignSchemes) {
    absl::string_view rest = text;
    if (!absl::ConsumePrefix(&rest, scheme)) continue;
    return refused("leave out ", scheme, ", as in ",
                   rest.substr(0, rest.find('/')));
  }
  for (absl::string_view scheme : kSchemes) {
    if (!absl::StartsWith(text, scheme)) continue;
    return text.size() > scheme.size() ? ""
                                       : refused("nothing behind ", scheme);
  }
  if (!std::all_of(text.begin(), text.end(), absl::ascii_isgraph)) {
    return refused("it has blanks or other characters that no name has");
  }
  const size_t bracket = text.rfind(']');
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos ||
      (bracket != std::string::npos && colon < bracket)) {
    return refused("it has no port; give host:port, as in ", text, ":50051");
  }
  const absl::string_view host = absl::string_view(text).substr(0, colon);
  if (host.empty()) return refused("it has no host, as in localhost", text);
  if (host[0] != '[' && host.find(':') != absl::string_view::npos) {
    return refused("an IPv6 address stands in brackets, as in [::1]:50051");
  }
  const absl::string_view port = absl::string_view(text).substr(colon + 1);
  if (IsPort(port)) return "";
  return refused("port \"", port, "\" is not in 1 to 65535");
}

CLI::Validator Seconds() {
  return Named("SECONDS", [](std::string& text) {
    return CheckSeconds(text, /*may_be_zero=*/false);
  });
}

CLI::Validator SecondsOrNone() {
  return Named("SECONDS", [](std::string& text) {
    return CheckSeconds(text, /*may_be_zero=*/true);
  });
}

CLI::Validator Whole(int64_t least, int64_t most) {
  return Named("WHOLE", [least, most](std::string& text) {
    return CheckWhole(text, least, most);
  });
}

CLI::Validator Address() {
  return Named("ADDRESS", [](std::string& text) { return CheckAddress(text); });
}

CLI::Validator ByteSize(int64_t least, int64_t most) {
  return Named("BYTES", [least, most](std::string& text) {
    return ReadByteSize(text, least, most);
  });
}

}  // namespace stridecast
