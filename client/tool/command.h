// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the subcommands share: flags, the client made of them, reports.
// Exit codes of the program: 0 done; 1 it failed, with one line on standard
// error; 2 the command line makes no sense.

#ifndef STRIDECAST_CLIENT_TOOL_COMMAND_H_
#define STRIDECAST_CLIENT_TOOL_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "stridecast/client.h"
#include "stridecast/tensor_view.h"

namespace CLI {
class App;
}  // namespace CLI

namespace stridecast {

struct CommonFlags {
  std::string server = "127.0.0.1:50051";
  std::optional<double> timeout_seconds;
  bool json = false;

  Client Connect() const;
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
void AddEvalCommand(CLI::App& app, const CommonFlags& flags,
                    absl::Status& outcome);

// `status`, which the server or the way to it is to blame for, saying so.
absl::Status FromServer(const CommonFlags& flags, const absl::Status& status);

// What a call with payloads sent, received and took.
struct CallReport {
  std::vector<TensorDesc> operands;
  std::vector<TensorView> results;
  // Where each result goes; "" and "-" are standard output. Fewer than results:
  // the rest goes there too.
  std::vector<std::string> output_paths;
  absl::Duration elapsed;
};

// Writes the files and prints the rest.
absl::Status Deliver(const CallReport& report, bool as_json);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_COMMAND_H_
