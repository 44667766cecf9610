// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The command-line tool. Exit codes: command.h.

#include <iostream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/tool/command.h"

namespace {

constexpr int kFailed = 1;
constexpr int kBadCommandLine = 2;

void AddCommonFlags(CLI::App& app, stridecast::CommonFlags& flags) {
  app.add_option("-s,--server", flags.server,
                 "host:port, dns:///host:port or unix:/path")
      ->envname("STRIDECAST_SERVER")
      ->type_name("ADDRESS")
      ->capture_default_str();
  app.add_option("-t,--timeout", flags.timeout_seconds,
                 "Seconds that a call may take [60; health: 2]")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("SECONDS");
  CLI::Option* json = app.add_flag(
      "--json", flags.json,
      "Print JSON, as is done where standard output is no terminal");
  app.add_flag("--text", flags.text,
               "Print text for people, as is done on a terminal")
      ->excludes(json);
}

// The arguments, last one first as CLI11 wants them. Those that begin like a
// negative number or like "-:u8[3]" are no flags: a blank before them, which
// their readers skip, says so.
std::vector<std::string> Arguments(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    const absl::string_view argument = argv[i];
    const bool is_no_flag = argument.size() > 1 && argument[0] == '-' &&
                            (absl::ascii_isdigit(argument[1]) ||
                             argument[1] == '.' || argument[1] == ':');
    arguments.push_back(absl::StrCat(is_no_flag ? " " : "", argument));
  }
  return arguments;
}

std::string CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return absl::StrJoin(names, ", ");
}

// The exit code of a command line that makes no sense.
int Refuse(const CLI::App& app, absl::string_view what) {
  const std::string command =
      app.get_subcommands().empty()
          ? ""
          : absl::StrCat(app.get_subcommands()[0]->get_name(), " ");
  std::cerr << "stridecast: " << absl::StrReplaceAll(what, {{"\n", " "}})
            << " (see stridecast " << command << "--help)\n";
  return command == "health " ? kFailed : kBadCommandLine;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Calls a stridecast server: tensor layout and element-wise compute");
  app.name("stridecast");
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
  stridecast::AddPagesCommands(app);
  try {
    app.parse(Arguments(argc, argv));
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return Refuse(app, error.what());
  }
  if (app.get_subcommands().empty()) {
    return Refuse(app,
                  absl::StrCat("a command is required: ", CommandNames(app)));
  }
  std::cout.flush();
  if (outcome.ok() && !std::cout) {
    outcome = absl::DataLossError("standard output: cannot write");
  }
  if (outcome.ok()) return 0;
  // One line, but of an expression, whose place is shown.
  const std::string text =
      absl::StartsWith(outcome.message(), "expression: ")
          ? std::string(outcome.message())
          : absl::StrReplaceAll(outcome.message(), {{"\n", " "}});
  std::cerr << "stridecast: " << text << "\n";
  return kFailed;
}
