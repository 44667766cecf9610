// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The command-line tool. Exit codes: command.h.

#include <iostream>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/str_replace.h"
#include "client/tool/command.h"

namespace {

constexpr int kFailed = 1;
constexpr int kBadCommandLine = 2;

void AddCommonFlags(CLI::App& app, stridecast::CommonFlags& flags) {
  app.add_option("-s,--server", flags.server,
                 "host:port, dns:///host:port or unix:/path")
      ->envname("STRIDECAST_SERVER")
      ->capture_default_str();
  app.add_option("-t,--timeout", flags.timeout_seconds,
                 "Seconds that a call may take [60; health: 2]")
      ->check(CLI::PositiveNumber);
  app.add_flag("--json", flags.json, "Print JSON");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Calls a stridecast server: tensor layout and element-wise "
      "compute");
  app.set_version_flag("--version", "stridecast " STRIDECAST_VERSION);
  app.require_subcommand(0, 1);
  app.fallthrough();
  app.footer(
      "Examples:\n"
      "  stridecast info --server 127.0.0.1:50051\n"
      "  stridecast health --service readiness\n"
      "  stridecast relayout photo.ppm --result-layout CHW -o planes.npy\n"
      "  stridecast eval --program add.json matrix.npy vector.npy\n"
      "Exit codes: 0 done, 1 failed, 2 bad command line.");

  stridecast::CommonFlags flags;
  absl::Status outcome;
  AddCommonFlags(app, flags);
  stridecast::AddInfoCommand(app, flags, outcome);
  stridecast::AddHealthCommand(app, flags, outcome);
  stridecast::AddExplainCommand(app, flags, outcome);
  stridecast::AddRelayoutCommand(app, flags, outcome);
  stridecast::AddEvalCommand(app, flags, outcome);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << "stridecast: " << error.what() << " (see --help)\n";
    return kBadCommandLine;
  }
  if (app.get_subcommands().empty()) {
    std::cerr << "stridecast: a subcommand is required (see --help)\n";
    return kBadCommandLine;
  }
  std::cout.flush();
  if (outcome.ok() && !std::cout) {
    outcome = absl::DataLossError("standard output: cannot write");
  }
  if (outcome.ok()) return 0;
  std::cerr << "stridecast: "
            << absl::StrReplaceAll(outcome.message(), {{"\n", " "}}) << "\n";
  return kFailed;
}
