// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast help, completion and man: pages that are printed.

#include <iostream>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "client/tool/command.h"
#include "client/tool/pages.h"
#include "client/tool/usage_error.h"

namespace stridecast {

void AddPagesCommands(CLI::App& app, absl::Status& outcome) {
  CLI::App* help = app.add_subcommand("help", "Print the help of a command");
  auto topic = std::make_shared<std::string>();
  help->add_option("command", *topic, "All of the program without one")
      ->type_name("COMMAND");
  help->footer("Example: stridecast help eval");
  help->callback([&app, &outcome, topic] {
    const auto commands =
        app.get_subcommands([&topic](const CLI::App* command) {
          return command->check_name(*topic);
        });
    if (topic->empty()) {
      // App::help would be that of the command that runs.
      std::cout << app.get_formatter()->make_help(&app, app.get_name(),
                                                  CLI::AppFormatMode::Normal);
    } else if (!commands.empty()) {
      std::cout << commands[0]->help(app.get_name());
    } else {
      outcome = UsageError(absl::StrCat("help: no command \"", *topic, "\""));
    }
  });
  CLI::App* completion =
      app.add_subcommand("completion", "Print the completion for bash");
  completion->footer("Example: source <(stridecast completion)");
  completion->callback([&app] { std::cout << BashCompletion(app); });
  CLI::App* man = app.add_subcommand("man", "Print the manual page");
  man->footer("Example: stridecast man | man -l -");
  man->callback([&app] { std::cout << ManPage(app, STRIDECAST_VERSION); });
}

}  // namespace stridecast
