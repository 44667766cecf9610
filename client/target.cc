// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/target.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace stridecast {
namespace {

// What people paste from a browser or another tool.
constexpr absl::string_view kForeignSchemes[] = {
    "http://", "https://", "grpc://", "grpcs://", "tcp://"};

// Names whose form is gRPC's own business.
constexpr absl::string_view kSchemes[] = {
    "unix:", "unix-abstract:", "ipv4:", "ipv6:", "xds:", "vsock:"};

bool IsPort(absl::string_view text) {
  int port = 0;
  return std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &port) && port >= 1 && port <= 65535;
}

std::string HostPortFault(absl::string_view text) {
  const size_t bracket = text.rfind(']');
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos ||
      (bracket != absl::string_view::npos && colon < bracket)) {
    return absl::StrCat("it has no port; give host:port, as in ", text,
                        ":50051");
  }
  const absl::string_view host = text.substr(0, colon);
  if (host.empty()) {
    return absl::StrCat("it has no host, as in localhost", text);
  }
  if (host[0] != '[' && host.find(':') != absl::string_view::npos) {
    return "an IPv6 address stands in brackets, as in [::1]:50051";
  }
  const absl::string_view port = text.substr(colon + 1);
  if (IsPort(port)) return "";
  return absl::StrCat("port \"", port, "\" is not in 1 to 65535");
}

}  // namespace

std::string TargetFault(absl::string_view target) {
  if (target.empty()) return "it is empty; give host:port or unix:/path";
  for (absl::string_view scheme : kForeignSchemes) {
    absl::string_view rest = target;
    if (!absl::ConsumePrefix(&rest, scheme)) continue;
    return absl::StrCat("leave out ", scheme, ", as in ",
                        rest.substr(0, rest.find('/')));
  }
  for (absl::string_view scheme : kSchemes) {
    absl::string_view rest = target;
    if (!absl::ConsumePrefix(&rest, scheme)) continue;
    return rest.empty() ? absl::StrCat("nothing behind ", scheme) : "";
  }
  if (!std::all_of(target.begin(), target.end(), absl::ascii_isgraph)) {
    return "it has blanks or other characters that no name has";
  }
  // dns:host:port, dns:///host:port, dns://resolver/host:port
  if (absl::ConsumePrefix(&target, "dns:")) {
    if (absl::ConsumePrefix(&target, "//")) {
      const size_t slash = target.find('/');
      target.remove_prefix(slash == absl::string_view::npos ? target.size()
                                                            : slash + 1);
    }
    if (target.empty()) return "nothing behind dns:";
  }
  return HostPortFault(target);
}

}  // namespace stridecast
