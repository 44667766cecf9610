// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/tool/command.h"
#include "client/tool/pages.h"

namespace stridecast {
namespace {

// Text that troff takes for text: no escapes, no requests at a line's begin.
std::string Escaped(absl::string_view text) {
  std::string escaped = absl::StrReplaceAll(
      text, {{"\\", "\\e"}, {"-", "\\-"}, {"'", "\\(aq"}, {"\"", "\\(dq"}});
  if (absl::StartsWith(escaped, ".")) escaped.insert(0, "\\&");
  return escaped;
}

// Lines as they are.
std::string Verbatim(absl::string_view text) {
  std::string page = ".nf\n";
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::StrAppend(&page, line.empty() ? "\\&" : Escaped(line), "\n");
  }
  return page + ".fi\n";
}

// CLI11 puts the type of what is chosen from before the choice.
std::string ValueName(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return "";
  std::string name = option.get_type_name();
  const size_t choice = name.find('{');
  return choice == std::string::npos ? name : name.substr(choice);
}

// "\-o, \-\-output FILE".
std::string Heading(const CLI::Option& option) {
  std::string heading;
  for (const std::string& name : option.get_snames()) {
    absl::StrAppend(&heading, heading.empty() ? "" : ", ", "-", name);
  }
  for (const std::string& name : option.get_lnames()) {
    absl::StrAppend(&heading, heading.empty() ? "" : ", ", "--", name);
  }
  const std::string value = ValueName(option);
  if (heading.empty()) return absl::StrCat("\\fI", Escaped(value), "\\fR");
  return absl::StrCat("\\fB", Escaped(heading), "\\fR",
                      value.empty() ? "" : " \\fI", Escaped(value),
                      value.empty() ? "" : "\\fR");
}

std::string Options(const CLI::App& app) {
  std::string page;
  for (const CLI::Option* option : app.get_options()) {
    const bool repeats =
        app.get_parent() != nullptr && option->check_lname("help");
    if (repeats) continue;
    std::string text = option->get_description();
    if (!option->get_default_str().empty()) {
      absl::StrAppend(&text, " [", option->get_default_str(), "]");
    }
    if (!option->get_envname().empty()) {
      absl::StrAppend(&text, " (environment: ", option->get_envname(), ")");
    }
    absl::StrAppend(&page, ".TP\n", Heading(*option), "\n", Escaped(text),
                    "\n");
  }
  return page;
}

std::string Command(const CLI::App& command) {
  const std::string heading =
      absl::StrCat(".SS ", Escaped(command.get_name()), "\n",
                   Escaped(command.get_description()), ".\n");
  std::string page = heading + Options(command);
  const std::string footer = command.get_footer();
  if (!footer.empty()) absl::StrAppend(&page, ".PP\n", Verbatim(footer));
  return page;
}

}  // namespace

std::string ManPage(const CLI::App& app, absl::string_view version) {
  std::string page = absl::StrCat(
      ".TH STRIDECAST 1 \"\" \"stridecast ", Escaped(version),
      "\" \"User Commands\"\n.SH NAME\nstridecast \\- ",
      Escaped(app.get_description()),
      "\n.SH SYNOPSIS\n.B stridecast\n.I COMMAND\n[options] [arguments]\n",
      ".SH OPTIONS\nBefore or after the command:\n", Options(app),
      ".SH COMMANDS\n");
  for (const CLI::App* command : app.get_subcommands({})) {
    page += Command(*command);
  }
  absl::StrAppend(&page, ".SH EXIT STATUS\n", Escaped(kExitCodes),
                  "\n.SH EXAMPLES\n", Verbatim(app.get_footer()));
  return page;
}

}  // namespace stridecast
