// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CLIENT_TOOL_COMMAND_HELP_H_
#define STRIDECAST_CLIENT_TOOL_COMMAND_HELP_H_

#include <string>

#include "CLI/CLI.hpp"

namespace stridecast {

// The help of a command says where those flags are that all commands have.
class CommandHelp : public CLI::Formatter {
 public:
  std::string make_footer(const CLI::App* app) const override {
    const std::string footer = CLI::Formatter::make_footer(app);
    if (app->get_parent() == nullptr) return footer;
    return footer +
           "\nFlags of all commands, --server, --timeout, --json, --tls and "
           "others: stridecast --help\n";
  }
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_COMMAND_HELP_H_
