// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/arguments.h"

#include <algorithm>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stridecast {
namespace {

// What no value has that is written right behind a flag's letter (-ofile).
constexpr char kOfExpressions[] = "()*+%<>&|^";

const CLI::App* FindCommand(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

const CLI::Option* FindFlag(const CLI::App& app, const CLI::App* command,
                            const std::string& name) {
  if (name.empty() || name[0] != '-') return nullptr;
  const CLI::Option* option =
      command == nullptr ? nullptr : command->get_option_no_throw(name);
  return option != nullptr ? option : app.get_option_no_throw(name);
}

bool IsNumberOrPipe(absl::string_view argument) {
  return absl::ascii_isdigit(argument[1]) || argument[1] == '.' ||
         argument[1] == ':' || absl::StartsWith(argument, "-inf");
}

bool IsExpression(const CLI::App& app, const CLI::App& command,
                  absl::string_view argument) {
  if (argument[1] == '-') return false;
  const std::string flag = absl::StrCat("-", argument.substr(1, 1));
  if (FindFlag(app, &command, flag) == nullptr) return true;
  const absl::string_view rest = argument.substr(2);
  return !rest.empty() &&
         (rest[0] == ' ' ||
          rest.find_first_of(kOfExpressions) != absl::string_view::npos);
}

}  // namespace

bool TakesExpression(const CLI::App& command) {
  return command.get_name() == "eval" || command.get_name() == "explain";
}

std::vector<std::string> ArgumentsOf(const CLI::App& app, int argc,
                                     char** argv) {
  std::vector<std::string> arguments;
  const CLI::App* command = nullptr;
  const CLI::Option* previous = nullptr;  // the flag before the argument
  bool are_flags_over = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool is_value =
        previous != nullptr && previous->get_expected_min() > 0;
    previous = is_value ? nullptr : FindFlag(app, command, argument);
    are_flags_over = are_flags_over || argument == "--";
    if (command == nullptr && !is_value) {
      command = FindCommand(app, argument);
    }
    const bool is_no_flag =
        !are_flags_over && argument.size() > 1 && argument[0] == '-' &&
        (IsNumberOrPipe(argument) ||
         (!is_value && command != nullptr && TakesExpression(*command) &&
          IsExpression(app, *command, argument)));
    arguments.push_back(absl::StrCat(is_no_flag ? " " : "", argument));
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

}  // namespace stridecast
