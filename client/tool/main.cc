// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The command-line tool. Exit codes: command.h.

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/synchronization/mutex.h"
#include "client/tool/arguments.h"
#include "client/tool/command.h"
#include "client/tool/command_help.h"
#include "client/tool/flag_values.h"
#include "client/tool/interruption.h"
#include "client/tool/usage_error.h"

namespace {

constexpr int kFailed = 1;
constexpr int kBadCommandLine = 2;

void AddCommonFlags(CLI::App& app, stridecast::CommonFlags& flags) {
  app.add_option("-s,--server", flags.server,
                 "host:port, dns:///host:port or unix:/path")
      ->envname("STRIDECAST_SERVER")
      ->check(stridecast::Address())
      ->type_name("ADDRESS")
      ->capture_default_str();
  const auto file = [&app](const char* name, std::string& path,
                           const char* what) {
    app.add_option(name, path, what)->type_name("FILE");
  };
  app.add_flag("--tls", flags.tls.tls,
               "Call over TLS; the other flags of TLS say so, too");
  file("--tls-ca", flags.tls.authorities_file,
       "PEM certificates of who signs servers [whom the system trusts]");
  file("--tls-certificate", flags.tls.certificate_file,
       "PEM certificate chain to show the server");
  file("--tls-private-key", flags.tls.private_key_file,
       "PEM key of that certificate");
  app.add_option("--tls-server-name", flags.tls.server_name,
                 "Name that the server's certificate has [that of --server]")
      ->type_name("NAME");
  file("--token-file", flags.token_file,
       "Bearer token, the first line of a file; over TLS or a Unix socket");
  app.add_option("-t,--timeout", flags.timeout_seconds,
                 "Seconds that a call may take [60; health: 2]; operands of "
                 "more than 32 MiB, which are streamed, have no limit unless "
                 "this gives one")
      ->check(stridecast::Seconds())
      ->type_name("SECONDS");
  CLI::Option* json = app.add_flag(
      "--json", flags.json,
      "Print JSON, as is done where standard output is no terminal");
  app.add_flag("--text", flags.text,
               "Print text for people, as is done on a terminal")
      ->excludes(json);
}

std::string CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return absl::StrJoin(names, ", ");
}

// What to say of an argument that was taken for a flag, perhaps by mistake.
absl::string_view Hint(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return !commands.empty() && stridecast::TakesExpression(*commands[0])
             ? "; an expression that looks like a flag stands behind --"
             : "";
}

int BadCommandLine(const CLI::App& app) {
  return app.got_subcommand("health") ? kFailed : kBadCommandLine;
}

// The exit code of a command line that CLI11 cannot read.
int Refuse(const CLI::App& app, absl::string_view what) {
  const std::string command =
      app.get_subcommands().empty()
          ? ""
          : absl::StrCat(app.get_subcommands()[0]->get_name(), " ");
  std::cerr << "stridecast: " << absl::StrReplaceAll(what, {{"\n", " "}})
            << Hint(app) << " (see stridecast " << command << "--help)\n";
  return BadCommandLine(app);
}

// The exit code of what a command came to.
int Report(const CLI::App& app, const absl::Status& outcome) {
  if (outcome.ok()) return 0;
  // One line, but of an expression, whose place is shown.
  const std::string text =
      absl::StartsWith(outcome.message(), "expression: ")
          ? std::string(outcome.message())
          : absl::StrReplaceAll(outcome.message(), {{"\n", " "}});
  std::cerr << "stridecast: " << text << "\n";
  return stridecast::IsUsageError(outcome) ? BadCommandLine(app) : kFailed;
}

absl::Status CannotPrint() {
  return absl::DataLossError("standard output: cannot write");
}

int Run(int argc, char** argv) {
  CLI::App app(
      "Calls a stridecast server: tensor layout and element-wise compute");
  app.name("stridecast");
  app.formatter(std::make_shared<stridecast::CommandHelp>());
  app.set_version_flag("--version", "stridecast " STRIDECAST_VERSION);
  app.require_subcommand(0, 1);
  app.fallthrough();
  app.footer(
      "Examples:\n"
      "  stridecast info --server 127.0.0.1:50051\n"
      "  stridecast health --service readiness\n"
      "  stridecast relayout photo.png --result-layout CHW -o planes.npy\n"
      "  stridecast convert photo.png --to f32 -o photo.npy\n"
      "  stridecast eval '(f32(x) - m)/255' x=photo.png m=10,20,30@C\n"
      "  stridecast COMMAND --help\n"
      "Exit codes: " +
      std::string(stridecast::kExitCodes));

  stridecast::CommonFlags flags;
  absl::Status outcome;
  AddCommonFlags(app, flags);
  stridecast::AddInfoCommand(app, flags, outcome);
  stridecast::AddHealthCommand(app, flags, outcome);
  stridecast::AddExplainCommand(app, flags, outcome);
  stridecast::AddRelayoutCommand(app, flags, outcome);
  stridecast::AddConvertCommand(app, flags, outcome);
  stridecast::AddEvalCommand(app, flags, outcome);
  stridecast::AddBenchCommand(app, flags, outcome);
  stridecast::AddPagesCommands(app, outcome);
  try {
    app.parse(stridecast::ArgumentsOf(app, argc, argv));
  } catch (const CLI::Success& success) {  // --help, --version
    const int code = app.exit(success);
    std::cout.flush();
    return std::cout ? code : Report(app, CannotPrint());
  } catch (const CLI::ParseError& error) {
    return Refuse(app, error.what());
  }
  if (app.get_subcommands().empty()) {
    return Refuse(app,
                  absl::StrCat("a command is required: ", CommandNames(app)));
  }
  std::cout.flush();
  if (outcome.ok() && !std::cout) outcome = CannotPrint();
  return Report(app, outcome);
}

}  // namespace

// Standard input, output and error that were closed: or sockets take their
// place.
static void OpenStandardFiles() {
  int null = open("/dev/null", O_RDWR);
  while (null >= 0 && null <= STDERR_FILENO) null = open("/dev/null", O_RDWR);
  close(null);
}

int main(int argc, char** argv) {
  stridecast::HandleInterruptions();
  OpenStandardFiles();
#ifdef NDEBUG
  // Debian's Abseil looks at each lock, gRPC's too, for a cycle.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
#endif
  // What gRPC would log, the error of a call says too.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  try {
    return Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "stridecast: out of memory\n";
    return kFailed;
  }
}
