// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/command_line.h"

#include <unistd.h>

#include <cstdlib>
#include <regex>
#include <sstream>

#include "CLI/CLI.hpp"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/engine/engine.h"
#include "core/exec/cpus.h"
#include "server/credentials.h"
#include "server/flags.h"
#include "server/version.h"

namespace stridecast {
namespace {

// The tool's: an image sets them for both programs.
constexpr const char* kOthersVariables[] = {"STRIDECAST_SERVER"};

// What 0 stands for here, as a comment: the file may be for elsewhere.
std::string DetectedValues(const ServerOptions& options) {
  const ServerOptions detected = WithDetectedValues(options);
  std::string text;
  const auto add = [&](absl::string_view flag, int64_t asked, int64_t value) {
    if (asked == 0) absl::StrAppend(&text, "# ", flag, "=", value, "\n");
  };
  add("max-inflight-bytes", options.max_inflight_bytes,
      detected.max_inflight_bytes);
  add("max-idle-buffer-bytes", options.max_idle_buffer_bytes,
      detected.max_idle_buffer_bytes);
  add("max-memory-bytes", options.max_memory_bytes, detected.max_memory_bytes);
  add("max-connections", options.max_connections, detected.max_connections);
  add("threads", options.threads, UsableCpus());
  return text.empty() ? "" : absl::StrCat("# 0 stands here for\n", text);
}

void AddAddresses(CLI::App& app, ServerOptions& options) {
  Flags flags(app, "Addresses");
  flags.AddList("--listen", options.listen, "ADDRESS",
                "Addresses to serve, a comma list of host:port, unix:/path "
                "and unix-abstract:name; port 0 is any free port");
  flags.AddMode("--unix-socket-mode", options.unix_socket_mode,
                "Permissions of the files of Unix sockets, octal: who may "
                "write may call");
}

void AddSecurity(CLI::App& app, ServerOptions& options) {
  Flags flags(app, "Security");
  flags.AddText("--tls-certificate", options.tls_certificate, "FILE",
                "PEM certificate chain: TCP addresses are of TLS");
  flags.AddText("--tls-private-key", options.tls_private_key, "FILE",
                "PEM key of that certificate");
  flags.AddText("--tls-client-ca", options.tls_client_ca, "FILE",
                "PEM certificates of who signs those that clients then need");
  flags.AddText("--token-file", options.token_file, "FILE",
                "Bearer tokens, one a line, of which calls then need one; over "
                "TLS or Unix sockets");
  flags.AddSwitch("--health-needs-token", options.health_needs_token,
                  "Also calls of health need a token, on or off");
  flags.AddNumber("--credentials-refresh-seconds",
                  options.credentials_refresh_seconds, "SECONDS",
                  "How often those files are looked at again");
  flags.AddSwitch("--allow-plaintext", options.allow_plaintext,
                  "Serve other machines without TLS, on or off");
}

void AddLimits(CLI::App& app, ServerOptions& options) {
  Flags flags(app, "Limits");
  flags.AddBytes("--max-message-bytes", options.max_message_bytes,
                 "Limit of one request message");
  flags.AddBytes("--max-result-bytes", options.max_result_bytes,
                 "Limit of the results of one call, together");
  flags.AddNumber("--max-instructions", options.max_instructions,
                  "INSTRUCTIONS", "Limit of one program");
  flags.AddBytes("--max-inflight-bytes", options.max_inflight_bytes,
                 "Limit of requests, results and scratch of all calls "
                 "together; 0: 3/8 of the memory that this process may use");
  flags.AddNumber("--max-inflight-calls", options.max_inflight_calls, "CALLS",
                  "Limit of tensor calls at a time, of all connections");
  flags.AddNumber("--max-connections", options.max_connections, "CONNECTIONS",
                  "Limit of connections, as far as the limit of open files "
                  "allows; one too many is closed; 0: 1000, or as many as "
                  "have room with all their calls, 14 KiB each, in "
                  "--max-memory-bytes");
  flags.AddNumber("--max-concurrent-streams", options.max_concurrent_streams,
                  "CALLS", "Limit of calls at a time on one connection");
  flags.AddNumber("--max-grpc-threads", options.max_grpc_threads, "THREADS",
                  "Limit of threads that answer channelz, a call each");
  flags.AddBytes("--max-idle-buffer-bytes", options.max_idle_buffer_bytes,
                 "Limit of buffers kept for the next calls, on top of those "
                 "in flight; 0: an eighth of --max-inflight-bytes; 1: none");
  flags.AddBytes(
      "--max-memory-bytes", options.max_memory_bytes,
      "Memory of the process beyond which calls end whose messages "
      "are on the way; 0: 3/4 of what it may use, less below 192 MiB "
      "of that, or more if the "
      "limits above need it");
  flags.AddNumber("--plan-cache-entries", options.plan_cache_entries, "PLANS",
                  "Plans kept of requests that may come again; 0: none");
}

void AddTimes(CLI::App& app, ServerOptions& options) {
  Flags flags(app, "Times");
  flags.AddNumber("--default-deadline-seconds",
                  options.default_deadline_seconds, "SECONDS",
                  "Deadline of a unary call that comes without one");
  flags.AddNumber("--stream-idle-seconds", options.stream_idle_seconds,
                  "SECONDS",
                  "Limit of a ComputeStream's time without progress");
  flags.AddNumber("--max-connection-idle-seconds",
                  options.max_connection_idle_seconds, "SECONDS",
                  "Limit of a connection's time without calls; 0: none");
  flags.AddNumber("--max-connection-age-seconds",
                  options.max_connection_age_seconds, "SECONDS",
                  "Age at which a connection's client is told to make another, "
                  "a tenth more or less; 0: never");
  flags.AddNumber("--max-connection-age-grace-seconds",
                  options.max_connection_age_grace_seconds, "SECONDS",
                  "How long its calls may run after that; 0: for ever");
  flags.AddNumber("--keepalive-seconds", options.keepalive_seconds, "SECONDS",
                  "Silence after which a client is asked whether it is there; "
                  "it has 20 s to answer");
  flags.AddNumber("--drain-delay-seconds", options.drain_delay_seconds,
                  "SECONDS",
                  "From SIGTERM, how long calls are still admitted while "
                  "health says NOT_SERVING");
  flags.AddNumber("--drain-deadline-seconds", options.drain_deadline_seconds,
                  "SECONDS",
                  "After that delay, how long running calls may take");
}

void AddComputing(CLI::App& app, ServerOptions& options) {
  Flags flags(app, "Computing");
  flags.AddNumber("--threads", options.threads, "THREADS",
                  "Threads that compute; 0: as many as CPUs that this process "
                  "may use");
  flags.AddText("--simd-target", options.simd_target, "NAME",
                "AVX2 or AVX3 (AVX-512); empty: the best that the CPU has");
}

void AddInsight(CLI::App& app, ServerOptions& options) {
  Flags flags(app, "Insight");
  flags.AddSwitch("--reflection", options.reflection,
                  "Answer gRPC server reflection, on or off");
  flags.AddSwitch("--channelz", options.channelz,
                  "Answer channelz, which tells of connections, on or off");
  flags.AddText("--metrics-listen", options.metrics_listen, "ADDRESS",
                "host:port of /metrics, /livez and /readyz, over HTTP; off: "
                "none");
  flags.AddText("--log-level", options.log_level, "NAME",
                "debug, info, warning, error or off; each call is a line at "
                "info");
  flags.AddText("--log-format", options.log_format, "text|json",
                "Lines as text, or each a JSON object");
}

// What the environment says to nobody.
std::vector<std::string> UnknownVariables(const CLI::App& app) {
  absl::flat_hash_set<std::string> known(std::begin(kOthersVariables),
                                         std::end(kOthersVariables));
  for (const CLI::Option* option : app.get_options()) {
    known.insert(option->get_envname());
  }
  std::vector<std::string> warnings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name(absl::string_view(*entry).substr(
        0, std::string_view(*entry).find('=')));
    if (!absl::StartsWith(name, kVariablePrefix) || known.contains(name) ||
        IsServiceLinkVariable(name)) {
      continue;
    }
    warnings.push_back(absl::StrCat("the environment's ", name,
                                    " sets nothing: --help lists the flags"));
  }
  return warnings;
}

absl::Status CheckSimdTarget(const ServerOptions& options) {
  if (options.simd_target.empty()) return absl::OkStatus();
  EngineOptions engine_options;
  engine_options.num_threads = 1;
  engine_options.simd_target = options.simd_target;
  const absl::Status status = Engine::Create(engine_options).status();
  return absl::Status(
      status.code(),
      absl::StrCat("--simd-target: ",
                   absl::StripPrefix(status.message(), "simd_target: ")));
}

// Where a value that cannot be may have come from, if not the command line.
std::string OtherSources(const CLI::App& app) {
  std::vector<std::string> sources;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_envname().empty() || !IsVariableSet(option->get_envname()))
      continue;
    sources.push_back(option->get_envname());
  }
  std::string text;
  if (!sources.empty()) {
    text = absl::StrCat("The environment sets ", absl::StrJoin(sources, ", "),
                        ".\n");
  }
  if (const auto file = app.get_config_ptr()->as<std::string>();
      !file.empty()) {
    absl::StrAppend(&text, "The flag file is \"", file, "\".\n");
  }
  return text;
}

}  // namespace

bool IsServiceLinkVariable(absl::string_view name) {
  static const std::regex pattern(
      "STRIDECAST_(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|"
      "PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");
  return std::regex_match(name.begin(), name.end(), pattern);
}

CommandLine ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App app("Serves stridecast.v1.TensorCompute over gRPC.",
               "stridecast-server");
  app.set_version_flag("--version",
                       absl::StrCat("stridecast-server ", kStridecastVersion));
  bool print_config = false;
  app.add_flag("--print-config", print_config,
               "Print the options in effect, as a flag file, and exit; with 1 "
               "if files of TLS or tokens are not as they should be")
      ->configurable(false);
  // CLI11 looks at variables when it has read the file.
  constexpr char kFlagFileVariable[] = "STRIDECAST_FLAG_FILE";
  const bool is_file_set = IsVariableSet(kFlagFileVariable);
  app.set_config("--flag-file",
                 is_file_set ? std::getenv(kFlagFileVariable) : "",
                 "A file of flags, max-message-bytes=1MiB on a line",
                 /*config_required=*/is_file_set)
      ->type_name("FILE")
      ->envname(kFlagFileVariable);
  app.config_formatter(std::make_shared<FlagFile>(&app));
  AddAddresses(app, line.options);
  AddSecurity(app, line.options);
  AddLimits(app, line.options);
  AddTimes(app, line.options);
  AddComputing(app, line.options);
  AddInsight(app, line.options);
  app.footer(
      "BYTES may have a unit: 64MiB (powers of 1024), 1GB (of 1000).\n"
      "Each flag is also a variable, --max-message-bytes "
      "STRIDECAST_MAX_MESSAGE_BYTES, which\ncounts less than the command line "
      "and more than the flag file.");

  std::ostringstream out;
  std::ostringstream err;
  try {
    app.parse(ReverseArguments(app, argc, argv));
    if (absl::Status status = Validate(line.options); !status.ok()) {
      throw CLI::ValidationError(std::string(status.message()),
                                 CLI::ExitCodes::ValidationError);
    }
    if (absl::Status status = CheckSimdTarget(line.options); !status.ok()) {
      throw CLI::ValidationError(std::string(status.message()),
                                 CLI::ExitCodes::ValidationError);
    }
    line.warnings = UnknownVariables(app);
    if (print_config) {
      out << app.config_to_str(/*default_also=*/true)
          << DetectedValues(line.options);
      for (const std::string& warning : line.warnings) {
        err << "stridecast-server: " << warning << "\n";
      }
      const absl::Status status = Credentials::Make(line.options).status();
      if (!status.ok()) {
        err << "stridecast-server: " << status.message() << "\n";
      }
      line.exit_code = status.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
    }
  } catch (const CLI::ParseError& error) {
    line.exit_code = app.exit(error, out, err) == 0 ? 0 : kExitBadUsage;
    if (line.exit_code != 0) err << OtherSources(app);
  }
  line.out = out.str();
  line.err = err.str();
  return line;
}

}  // namespace stridecast
