// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/options.h"

#include <limits>
#include <sstream>

#include "CLI/CLI.hpp"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "server/listen_address.h"
#include "server/memory_limit.h"
#include "server/version.h"
#include "spdlog/common.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// gRPC counts message bytes in int, and its own limit stands above ours.
constexpr int64_t kMaxMessageLimit =
    std::numeric_limits<int32_t>::max() - (int64_t{1} << 20);
// A reply is a message too; the rest of the 2 GiB is for its descriptors.
constexpr int64_t kMaxResultLimit = kMaxMessageLimit;
constexpr int64_t kMaxSeconds = 24 * 3600;
constexpr int64_t kMaxThreads = 4096;
constexpr int64_t kMaxPlanCacheEntries = 1 << 16;

absl::Status CheckRange(absl::string_view flag, int64_t value, int64_t least,
                        int64_t greatest) {
  if (value >= least && value <= greatest) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      flag, ": ", value, " is outside [", least, ", ", greatest, "]"));
}

bool IsLogLevel(const std::string& name) {
  // from_str() takes any unknown name for "off".
  return name == "off" || spdlog::level::from_str(name) != spdlog::level::off;
}

// Bytes: plain, or with a unit: 64MiB, 1GB (powers of 1024 and of 1000).
void AddBytes(CLI::App& app, const std::string& flag, int64_t& value,
              const std::string& help) {
  const CLI::AsSizeValue to_bytes(/*kb_is_1000=*/true);
  app.add_option(flag, value, help)
      ->transform(to_bytes.description(""))  // or help repeats it each time
      ->type_name("BYTES")
      ->default_str(absl::StrCat(value));
}

void AddNumber(CLI::App& app, const std::string& flag, int64_t& value,
               const std::string& type, const std::string& help) {
  app.add_option(flag, value, help)
      ->type_name(type)
      ->default_str(absl::StrCat(value));
}

// Permissions, octal.
void AddMode(CLI::App& app, const std::string& flag, int64_t& value,
             const std::string& help) {
  const auto check = [](const std::string& text) -> std::string {
    if (!text.empty() && text.size() <= 4 &&
        text.find_first_not_of("01234567") == std::string::npos) {
      return "";
    }
    return absl::StrCat("\"", text, "\" is no octal mode such as 0660");
  };
  app.add_option_function<std::string>(
         flag,
         [&value](const std::string& text) {
           value = std::stoi(text, nullptr, 8);
         },
         help)
      ->check(CLI::Validator(check, ""))
      ->type_name("MODE")
      ->default_str(absl::StrFormat("%04o", value));
}

void AddFlags(CLI::App& app, ServerOptions& options) {
  app.add_option("--listen", options.listen,
                 "Addresses to serve, a comma list of host:port, unix:/path "
                 "and unix-abstract:name; port 0 is any free port")
      ->delimiter(',')
      ->type_name("ADDRESS")
      ->default_str(absl::StrJoin(options.listen, ","));
  AddMode(app, "--unix-socket-mode", options.unix_socket_mode,
          "Permissions of the files of Unix sockets, octal: who may write may "
          "call");
  AddBytes(app, "--max-message-bytes", options.max_message_bytes,
           "Limit of one request message");
  AddBytes(app, "--max-result-bytes", options.max_result_bytes,
           "Limit of the results of one call, together");
  AddBytes(app, "--max-inflight-bytes", options.max_inflight_bytes,
           "Limit of requests, results and scratch of all calls together; 0: "
           "3/8 of the memory that this process may use");
  AddBytes(app, "--max-idle-buffer-bytes", options.max_idle_buffer_bytes,
           "Limit of buffers kept for the next calls, on top of those in "
           "flight; 0: an eighth of --max-inflight-bytes; 1: none");
  AddNumber(app, "--max-concurrent-streams", options.max_concurrent_streams,
            "CALLS", "Limit of calls at a time on one connection");
  AddNumber(app, "--plan-cache-entries", options.plan_cache_entries, "PLANS",
            "Plans kept of requests that may come again; 0: none");
  AddNumber(app, "--threads", options.threads, "THREADS",
            "Threads that compute; 0: as many as CPUs that this process may "
            "use");
  app.add_option("--simd-target", options.simd_target,
                 "AVX2 or AVX3 (AVX-512); empty: the best that the CPU has")
      ->type_name("NAME");
  AddNumber(app, "--default-deadline-seconds", options.default_deadline_seconds,
            "SECONDS", "Deadline of a unary call that comes without one");
  AddNumber(app, "--stream-idle-seconds", options.stream_idle_seconds,
            "SECONDS", "Limit of a ComputeStream's time without progress");
  AddNumber(app, "--drain-delay-seconds", options.drain_delay_seconds,
            "SECONDS",
            "From SIGTERM, how long calls are still admitted while health "
            "says NOT_SERVING");
  AddNumber(app, "--drain-deadline-seconds", options.drain_deadline_seconds,
            "SECONDS", "After that delay, how long running calls may take");
  app.add_option("--reflection", options.reflection,
                 "Answer gRPC server reflection: on or off")
      ->type_name("on|off")
      ->default_str(options.reflection ? "on" : "off");
  app.add_option("--log-level", options.log_level,
                 "debug, info, warning, error or off; each call is a line at "
                 "info")
      ->type_name("NAME")
      ->capture_default_str();
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
  RETURN_IF_ERROR(
      CheckRange("--unix-socket-mode", options.unix_socket_mode, 0, 0777));
  RETURN_IF_ERROR(CheckRange("--max-message-bytes", options.max_message_bytes,
                             1024, kMaxMessageLimit));
  RETURN_IF_ERROR(CheckRange("--max-result-bytes", options.max_result_bytes, 1,
                             kMaxResultLimit));
  RETURN_IF_ERROR(CheckRange("--max-inflight-bytes", options.max_inflight_bytes,
                             0, std::numeric_limits<int64_t>::max() / 2));
  RETURN_IF_ERROR(CheckRange("--max-idle-buffer-bytes",
                             options.max_idle_buffer_bytes, 0,
                             std::numeric_limits<int64_t>::max() / 2));
  RETURN_IF_ERROR(CheckRange("--max-concurrent-streams",
                             options.max_concurrent_streams, 1,
                             std::numeric_limits<int32_t>::max()));
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
  return absl::OkStatus();
}

ServerOptions WithDetectedValues(ServerOptions options) {
  if (options.max_inflight_bytes == 0) {
    options.max_inflight_bytes = UsableMemoryBytes() / 8 * 3;
  }
  // Room for the results of the next calls, still small beside the budget.
  if (options.max_idle_buffer_bytes == 0) {
    options.max_idle_buffer_bytes = options.max_inflight_bytes / 8;
  }
  return options;
}

CommandLine ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App app("Serves stridecast.v1.TensorCompute over gRPC.",
               "stridecast-server");
  app.set_version_flag("--version",
                       absl::StrCat("stridecast-server ", kStridecastVersion));
  bool print_config = false;
  app.add_flag("--print-config", print_config,
               "Print the options in effect and exit");
  AddFlags(app, line.options);
  app.footer("BYTES may have a unit: 64MiB (powers of 1024), 1GB (of 1000).");

  std::ostringstream out;
  std::ostringstream err;
  try {
    app.parse(argc, argv);
    if (absl::Status status = Validate(line.options); !status.ok()) {
      throw CLI::ValidationError(std::string(status.message()),
                                 CLI::ExitCodes::ValidationError);
    }
    if (print_config) {
      out << app.config_to_str(/*default_also=*/true);
      line.exit_code = 0;
    }
  } catch (const CLI::ParseError& error) {
    line.exit_code = app.exit(error, out, err) == 0 ? 0 : kExitBadUsage;
  }
  line.out = out.str();
  line.err = err.str();
  return line;
}

}  // namespace stridecast
