// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/options.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/admission.h"
#include "server/held_bytes.h"
#include "server/listen_address.h"
#include "server/memory_limit.h"
#include "server/saturating.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Readers of messages count bytes in int, and some add to it.
constexpr int64_t kMaxMessageLimit =
    std::numeric_limits<int32_t>::max() - (int64_t{1} << 20);
// A reply is a message too; the rest of the 2 GiB is for its descriptors.
constexpr int64_t kMaxResultLimit = kMaxMessageLimit;
constexpr int64_t kMaxSeconds = 24 * 3600;
constexpr int64_t kMaxThreads = 4096;
constexpr int64_t kMaxPlanCacheEntries = 1 << 16;
constexpr int64_t kMaxConnectionsLimit = 1'000'000;
// Files that are no connections of callers: gRPC's own, probes, the log.
constexpr int64_t kOtherFiles = 64;

constexpr int64_t kMostConnections = 1000;
// Tables of the engine are sized for so many.
constexpr int64_t kMaxInstructionsLimit = 256;
// Of which gRPC keeps two for itself.
constexpr int64_t kLeastGrpcThreads = 4;

absl::Status CheckRange(absl::string_view flag, int64_t value, int64_t least,
                        int64_t greatest) {
  if (value >= least && value <= greatest) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      flag, ": ", value, " is outside [", least, ", ", greatest, "]"));
}

// How many files this process may have open.
int64_t OpenFileLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
      limit.rlim_cur > std::numeric_limits<int32_t>::max()) {
    return std::numeric_limits<int32_t>::max();
  }
  return static_cast<int64_t>(limit.rlim_cur);
}

// What would let strangers read along.
absl::Status CheckSecurity(const ServerOptions& options) {
  const bool has_tls = !options.tls_certificate.empty();
  if (has_tls != !options.tls_private_key.empty()) {
    return absl::InvalidArgumentError(
        "--tls-certificate and --tls-private-key: one needs the other");
  }
  if (!options.tls_client_ca.empty() && !has_tls) {
    return absl::InvalidArgumentError(
        "--tls-client-ca: needs --tls-certificate");
  }
  if (options.health_needs_token && options.token_file.empty()) {
    return absl::InvalidArgumentError(
        "--health-needs-token: needs --token-file");
  }
  for (const std::string& address : options.listen) {
    if (has_tls || IsUnixSocket(address)) continue;
    if (!options.token_file.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--token-file: ", address,
                       " would carry tokens in the clear; give "
                       "--tls-certificate, or listen on Unix sockets alone"));
    }
    if (!IsLocalOnly(address) && !options.allow_plaintext) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--listen: ", address,
          " serves other machines in the clear; give "
          "--tls-certificate, or --allow-plaintext where the network is "
          "trusted"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckMetricsAddress(const ServerOptions& options) {
  const std::string& address = options.metrics_listen;
  if (address == "off") return absl::OkStatus();
#ifdef STRIDECAST_METRICS
  if (absl::StartsWith(address, "unix") || address.rfind(':') == 0 ||
      !absl::StrContains(address, ':')) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", address, "\": is neither host:port nor off"));
  }
  if (!absl::EndsWith(address, ":0") &&
      std::find(options.listen.begin(), options.listen.end(), address) !=
          options.listen.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", address, "\": --listen has it"));
  }
  return CheckListenAddress(address);
#else
  return absl::InvalidArgumentError(
      "this server is built without metrics (STRIDECAST_METRICS=OFF)");
#endif
}

bool IsLogLevel(const std::string& name) {
  for (const char* known : {"debug", "info", "warning", "error", "off"}) {
    if (name == known) return true;
  }
  return false;
}

}  // namespace

absl::Status Validate(const ServerOptions& options) {
  if (options.listen.empty()) {
    return absl::InvalidArgumentError("--listen: no address");
  }
  absl::flat_hash_set<absl::string_view> addresses;
  for (const std::string& address : options.listen) {
    RETURN_IF_ERROR(PrefixField("--listen: ", CheckListenAddress(address)));
    if (!addresses.insert(address).second && !absl::EndsWith(address, ":0")) {
      return absl::InvalidArgumentError(
          absl::StrCat("--listen: \"", address, "\": given twice"));
    }
  }
  RETURN_IF_ERROR(CheckSecurity(options));
  RETURN_IF_ERROR(CheckRange("--credentials-refresh-seconds",
                             options.credentials_refresh_seconds, 1,
                             kMaxSeconds));
  RETURN_IF_ERROR(
      PrefixField("--metrics-listen: ", CheckMetricsAddress(options)));
  RETURN_IF_ERROR(
      CheckRange("--unix-socket-mode", options.unix_socket_mode, 0, 0777));
  RETURN_IF_ERROR(CheckRange("--max-message-bytes", options.max_message_bytes,
                             1024, kMaxMessageLimit));
  RETURN_IF_ERROR(CheckRange("--max-result-bytes", options.max_result_bytes, 1,
                             kMaxResultLimit));
  if (options.max_inflight_bytes != 0) {
    RETURN_IF_ERROR(CheckRange("--max-inflight-bytes",
                               options.max_inflight_bytes, kSmallCallBytes,
                               std::numeric_limits<int64_t>::max() / 2));
  }
  RETURN_IF_ERROR(CheckRange("--max-idle-buffer-bytes",
                             options.max_idle_buffer_bytes, 0,
                             std::numeric_limits<int64_t>::max() / 2));
  if (options.max_memory_bytes != 0) {
    RETURN_IF_ERROR(CheckRange("--max-memory-bytes", options.max_memory_bytes,
                               kLeastMemoryBytes,
                               std::numeric_limits<int64_t>::max() / 2));
  }
  RETURN_IF_ERROR(CheckRange("--max-concurrent-streams",
                             options.max_concurrent_streams, 1,
                             std::numeric_limits<int32_t>::max()));
  RETURN_IF_ERROR(CheckRange("--max-inflight-calls", options.max_inflight_calls,
                             1, std::numeric_limits<int32_t>::max()));
  RETURN_IF_ERROR(CheckRange("--max-instructions", options.max_instructions, 1,
                             kMaxInstructionsLimit));
  RETURN_IF_ERROR(CheckRange("--max-grpc-threads", options.max_grpc_threads,
                             kLeastGrpcThreads, kMaxThreads));
  RETURN_IF_ERROR(CheckRange("--max-connections", options.max_connections, 0,
                             kMaxConnectionsLimit));
  RETURN_IF_ERROR(CheckRange("--max-connection-idle-seconds",
                             options.max_connection_idle_seconds, 0,
                             kMaxSeconds));
  RETURN_IF_ERROR(CheckRange("--max-connection-age-seconds",
                             options.max_connection_age_seconds, 0,
                             kMaxSeconds));
  RETURN_IF_ERROR(CheckRange("--max-connection-age-grace-seconds",
                             options.max_connection_age_grace_seconds, 0,
                             kMaxSeconds));
  RETURN_IF_ERROR(CheckRange("--keepalive-seconds", options.keepalive_seconds,
                             1, kMaxSeconds));
  RETURN_IF_ERROR(CheckRange("--plan-cache-entries", options.plan_cache_entries,
                             0, kMaxPlanCacheEntries));
  RETURN_IF_ERROR(CheckRange("--threads", options.threads, 0, kMaxThreads));
  RETURN_IF_ERROR(CheckRange("--default-deadline-seconds",
                             options.default_deadline_seconds, 1, kMaxSeconds));
  RETURN_IF_ERROR(CheckRange("--stream-idle-seconds",
                             options.stream_idle_seconds, 1, kMaxSeconds));
  RETURN_IF_ERROR(CheckRange("--drain-delay-seconds",
                             options.drain_delay_seconds, 0, kMaxSeconds));
  RETURN_IF_ERROR(CheckRange("--drain-deadline-seconds",
                             options.drain_deadline_seconds, 0, kMaxSeconds));
  if (!IsLogLevel(options.log_level)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--log-level: \"", options.log_level,
                     "\" is none of debug, info, warning, error, off"));
  }
  if (options.log_format != "text" && options.log_format != "json") {
    return absl::InvalidArgumentError(absl::StrCat(
        "--log-format: \"", options.log_format, "\" is neither text nor json"));
  }
  return absl::OkStatus();
}

ServerOptions WithDetectedValues(ServerOptions options) {
  if (options.max_inflight_bytes == 0) {
    options.max_inflight_bytes = UsableMemoryBytes() / 8 * 3;
    if (options.max_memory_bytes != 0) {
      options.max_inflight_bytes =
          std::min(options.max_inflight_bytes, options.max_memory_bytes / 2);
    }
  }
  // Room for the results of the next calls, still small beside the budget.
  if (options.max_idle_buffer_bytes == 0) {
    options.max_idle_buffer_bytes = options.max_inflight_bytes / 8;
  }
  if (options.max_memory_bytes == 0) {
    const int64_t usable = UsableMemoryBytes();
    options.max_memory_bytes =
        std::max(DefaultMemoryBytes(usable),
                 std::min(GreatestUseBytes(options), usable / 16 * 15));
  }
  options.max_connections =
      std::min(WantedConnections(options),
               std::max(OpenFileLimit() - kOtherFiles, int64_t{1}));
  return options;
}

int64_t WantedConnections(const ServerOptions& options) {
  if (options.max_connections != 0) return options.max_connections;
  return std::clamp((options.max_memory_bytes - kEmptyProcessBytes) /
                        (options.max_concurrent_streams * kCallFootprintBytes),
                    kLeastConnections, kMostConnections);
}

int64_t MostConnectionCalls(const ServerOptions& options) {
  constexpr int64_t kLeastMore = 128;
  const int64_t streams = options.max_concurrent_streams;
  return streams + std::max(3 * streams, kLeastMore);
}

int64_t DefaultMemoryBytes(int64_t usable_bytes) {
  // What comes until calls that are ended have given back theirs is the same
  // for small processes.
  constexpr int64_t kMostThatComes = int64_t{48} << 20;
  return std::min(usable_bytes / 4 * 3,
                  std::max(usable_bytes - kMostThatComes, usable_bytes / 2));
}

int64_t GreatestUseBytes(const ServerOptions& options) {
  return SaturatingAdd(
      SaturatingAdd(options.max_inflight_bytes, options.max_inflight_bytes / 4),
      options.max_idle_buffer_bytes);
}

}  // namespace stridecast
