// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The subcommands, and the flags that all of them share.
// Exit codes of the program: 0 done; 1 it failed, with one line on standard
// error: files, the server, the way to it; 2 the command line is at fault, also
// one line: flags, arguments, literals, expressions (usage_error.h). `health`
// knows 0 and 1 alone: container runtimes reserve 2.
// Rule: reports are text where standard output is a terminal, else JSON, unless
// --json or --text says so.

#ifndef STRIDECAST_CLIENT_TOOL_COMMAND_H_
#define STRIDECAST_CLIENT_TOOL_COMMAND_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stridecast/client.h"

namespace CLI {
class App;
}  // namespace CLI
namespace grpc {
class Channel;
}  // namespace grpc

namespace stridecast {

inline constexpr char kExitCodes[] =
    "0 done; 1 failed: a file, the server, the way to it; 2 bad command line: "
    "flags, literals, expressions (health: 1).";

// What servers answer for, besides "": the names of health checks.
inline constexpr char kHealthServices[] =
    "liveness readiness stridecast.v1.TensorCompute";

// Files are read when a channel is made.
struct TlsFlags {
  bool tls = false;  // Implied by the others.
  std::string authorities_file;
  std::string certificate_file;
  std::string private_key_file;
  std::string server_name;

  bool IsWanted() const;
};

struct CommonFlags {
  std::string server = "127.0.0.1:50051";
  TlsFlags tls;
  std::string token_file;
  std::optional<double> timeout_seconds;
  bool json = false;
  bool text = false;

  // Errors are whole texts: FromServer would add nothing.
  absl::StatusOr<Client> Connect() const;
  // `own_connections` as in ChannelOptions.
  absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(
      bool own_connections = false) const;
  bool PrintsJson() const;
};

// Each adds its subcommand to `app`; when that runs, *outcome gets its status.
// `flags` and `outcome` outlive `app`.
void AddInfoCommand(CLI::App& app, const CommonFlags& flags,
                    absl::Status& outcome);
void AddHealthCommand(CLI::App& app, const CommonFlags& flags,
                      absl::Status& outcome);
void AddExplainCommand(CLI::App& app, const CommonFlags& flags,
                       absl::Status& outcome);
void AddRelayoutCommand(CLI::App& app, const CommonFlags& flags,
                        absl::Status& outcome);
void AddConvertCommand(CLI::App& app, const CommonFlags& flags,
                       absl::Status& outcome);
void AddEvalCommand(CLI::App& app, const CommonFlags& flags,
                    absl::Status& outcome);
void AddBenchCommand(CLI::App& app, const CommonFlags& flags,
                     absl::Status& outcome);
// Those that print pages; they read `app` itself.
void AddPagesCommands(CLI::App& app, absl::Status& outcome);

// `status`, which the server or the way to it is to blame for, saying so, and
// which flag may help.
absl::Status FromServer(const CommonFlags& flags, const absl::Status& status);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_COMMAND_H_
