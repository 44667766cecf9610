// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast completion and stridecast man: what an installation needs,
// printed.

#include <iostream>

#include "CLI/CLI.hpp"
#include "client/tool/command.h"
#include "client/tool/pages.h"

namespace stridecast {

void AddPagesCommands(CLI::App& app) {
  CLI::App* completion =
      app.add_subcommand("completion", "Print the completion for bash");
  completion->footer("Example: source <(stridecast completion)");
  completion->callback([&app] { std::cout << BashCompletion(app); });
  CLI::App* man = app.add_subcommand("man", "Print the manual page");
  man->footer("Example: stridecast man | man -l -");
  man->callback([&app] { std::cout << ManPage(app, STRIDECAST_VERSION); });
}

}  // namespace stridecast
