// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/command_line.h"

#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <regex>
#include <sstream>

#include "CLI/CLI.hpp"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/engine/engine.h"
#include "core/exec/cpus.h"
#include "server/credentials.h"
#include "server/version.h"

namespace stridecast {
namespace {

constexpr absl::string_view kPrefix = "STRIDECAST_";
// The tool's: an image sets them for both programs.
constexpr const char* kOthersVariables[] = {"STRIDECAST_SERVER"};

// "--max-message-bytes": STRIDECAST_MAX_MESSAGE_BYTES.
std::string VariableOf(absl::string_view flag) {
  return absl::StrCat(kPrefix, absl::AsciiStrToUpper(absl::StrReplaceAll(
                                   flag.substr(2), {{"-", "_"}})));
}

bool IsSet(const std::string& variable) {
  const char* const value = std::getenv(variable.c_str());
  return value != nullptr && *value != '\0';
}

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

// CLI11 would let the file count more than the environment, and calls it "INI".
class FlagFile final : public CLI::ConfigTOML {
 public:
  explicit FlagFile(const CLI::App* app) : app_(app) {
    comment('\0');  // CLI11 cuts values at it, within quotes, too
  }

  std::vector<CLI::ConfigItem> from_config(std::istream& in) const override {
    std::stringstream lines;
    absl::flat_hash_set<std::string> names;
    for (std::string line; std::getline(in, line);) {
      if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "#")) {
        continue;
      }
      lines << line << "\n";
      // CLI11 would join two, or take one of them.
      const std::string name(
          absl::StripAsciiWhitespace(line.substr(0, line.find('='))));
      if (app_->get_option_no_throw("--" + name) != nullptr &&
          !names.insert(name).second) {
        Fail(absl::StrCat("sets \"", name, "\" twice"));
      }
    }
    std::vector<CLI::ConfigItem> read = CLI::ConfigTOML::from_config(lines);
    for (const CLI::ConfigItem& item : read) {
      if (!item.parents.empty()) {
        Fail(absl::StrCat("has a section [", item.parents.front(),
                          "]; it is a list of flags"));
      }
      const CLI::Option* option = app_->get_option_no_throw("--" + item.name);
      if (option != nullptr && option->get_configurable()) continue;
      Fail(absl::StrCat("sets \"", item.name, "\", which is no flag of it"));
    }
    std::erase_if(read, [](const CLI::ConfigItem& item) {
      return IsSet(VariableOf("--" + item.name));
    });
    return read;
  }

 private:
  [[noreturn]] void Fail(absl::string_view fault) const {
    throw CLI::ConfigError(
        absl::StrCat("the flag file ",
                     app_->get_config_ptr()->as<std::string>(), " ", fault),
        CLI::ExitCodes::ConfigError);
  }

  const CLI::App* const app_;
};

// Adds flags to one group of the help. Each is a variable and a line of the
// flag file too.
class Flags {
 public:
  Flags(CLI::App& app, std::string group)
      : app_(app), group_(std::move(group)) {}

  // Bytes: plain, or with a unit: 64MiB, 1GB (powers of 1024 and of 1000).
  void AddBytes(const std::string& flag, int64_t& value,
                const std::string& help) {
    const CLI::AsSizeValue to_bytes(/*kb_is_1000=*/true);
    Add(flag, value, "BYTES", help)
        ->transform(to_bytes.description(""))  // or help repeats it each time
        ->transform(Decimal())                 // before that
        ->check(Fits())
        ->default_str(absl::StrCat(value));
  }

  void AddNumber(const std::string& flag, int64_t& value,
                 const std::string& type, const std::string& help) {
    Add(flag, value, type, help)
        ->check(Decimal())
        ->default_str(absl::StrCat(value));
  }

  // --flag=on and --flag=off; one that is off is switched on by its name alone.
  void AddSwitch(const std::string& flag, bool& value,
                 const std::string& help) {
    if (value) {
      Add(flag, value, "on|off", help)->default_str("on");
    } else {
      Finish(app_.add_flag(flag, value, help), flag, "")->default_str("off");
    }
  }

  void AddText(const std::string& flag, std::string& value,
               const std::string& type, const std::string& help) {
    Add(flag, value, type, help)->capture_default_str();
  }

  void AddList(const std::string& flag, std::vector<std::string>& value,
               const std::string& type, const std::string& help) {
    Add(flag, value, type, help)
        ->delimiter(',')
        ->default_str(absl::StrJoin(value, ","));
  }

  // Permissions, octal.
  void AddMode(const std::string& flag, int64_t& value,
               const std::string& help) {
    const auto check = [](const std::string& text) -> std::string {
      if (!text.empty() && text.size() <= 4 &&
          text.find_first_not_of("01234567") == std::string::npos) {
        return "";
      }
      return absl::StrCat("\"", text, "\" is no octal mode such as 0660");
    };
    Finish(app_.add_option_function<std::string>(
               flag,
               [&value](const std::string& text) {
                 value = std::stoi(text, nullptr, 8);
               },
               help),
           flag, "MODE")
        ->check(CLI::Validator(check, ""))
        ->default_str(absl::StrFormat("%04o", value));
  }

 private:
  // CLI11 takes 010 for 8.
  static CLI::Validator Decimal() {
    const auto check = [](const std::string& text) -> std::string {
      const bool is_other =
          text.empty() ||
          (text[0] == '0' && text.size() > 1 && absl::ascii_isalnum(text[1]));
      if (is_other) return absl::StrCat("\"", text, "\" is no decimal number");
      return FaultOfSize(text.substr(0, text.find_first_not_of("0123456789")));
    };
    return CLI::Validator(check, "");
  }

  // With the unit.
  static CLI::Validator Fits() { return CLI::Validator(&FaultOfSize, ""); }

  // CLI11 would take the greatest number that there is.
  static std::string FaultOfSize(const std::string& digits) {
    int64_t value;
    return digits.empty() || absl::SimpleAtoi(digits, &value)
               ? ""
               : absl::StrCat(digits, " is more than ",
                              std::numeric_limits<int64_t>::max());
  }

  template <typename Value>
  CLI::Option* Add(const std::string& flag, Value& value,
                   const std::string& type, const std::string& help) {
    return Finish(app_.add_option(flag, value, help), flag, type);
  }

  CLI::Option* Finish(CLI::Option* option, const std::string& flag,
                      const std::string& type) {
    return option->type_name(type)->group(group_)->envname(VariableOf(flag));
  }

  CLI::App& app_;
  const std::string group_;
};

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

// CLI11 would take the next argument for the value of "--flag=".
void CheckValues(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    if (!absl::StartsWith(argument, "--") || !absl::EndsWith(argument, "=") ||
        argument.find('=') + 1 != argument.size()) {
      continue;
    }
    throw CLI::ArgumentMismatch(
        absl::StrCat(argument,
                     ": a value is missing; without the flag its "
                     "default is in effect"),
        CLI::ExitCodes::ArgumentMismatch);
  }
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
    if (!absl::StartsWith(name, kPrefix) || known.contains(name) ||
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
    if (option->get_envname().empty() || !IsSet(option->get_envname()))
      continue;
    sources.push_back(option->get_envname());
  }
  return sources.empty() ? ""
                         : absl::StrCat("The environment sets ",
                                        absl::StrJoin(sources, ", "), ".\n");
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
  const bool is_file_set = IsSet(kFlagFileVariable);
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
    CheckValues(argc, argv);
    app.parse(argc, argv);
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
