// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "client/tool/command.h"
#include "client/tool/element_parser.h"
#include "client/tool/pages.h"

namespace stridecast {
namespace {

// "--output", "-o".
std::vector<std::string> Spellings(const CLI::Option& option) {
  std::vector<std::string> spellings;
  for (const std::string& name : option.get_lnames()) {
    spellings.push_back(absl::StrCat("--", name));
  }
  for (const std::string& name : option.get_snames()) {
    spellings.push_back(absl::StrCat("-", name));
  }
  return spellings;
}

// What can stand behind an option; empty: nothing that is known.
// The names of CLI::IsMember's members are in the type: "TEXT:{add,identity}".
std::string ValuesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{');
  const size_t end = type.rfind('}');
  if (begin != std::string::npos && end != std::string::npos) {
    return absl::StrReplaceAll(type.substr(begin + 1, end - begin - 1),
                               {{",", " "}});
  }
  if (type == "TYPE") return ElementTypeNames();
  return type == "SERVICE" ? kHealthServices : "";
}

bool IsFile(const CLI::Option& option) {
  return option.get_type_name() == "FILE" || option.get_type_name() == "TENSOR";
}

// The rows of a case statement on "COMMAND PREVIOUS_WORD": options of `app`
// that take a value.
std::string ValueRows(const CLI::App& app, absl::string_view command) {
  std::string rows;
  for (const CLI::Option* option : app.get_options()) {
    const auto spellings = Spellings(*option);
    if (spellings.empty() || option->get_expected_max() == 0) continue;
    const auto pattern = [command](std::string* out, const std::string& name) {
      absl::StrAppend(out, command, "\\ ", name);
    };
    absl::StrAppend(&rows, "    ", absl::StrJoin(spellings, "|", pattern),
                    ") ");
    const std::string values = ValuesOf(*option);
    if (IsFile(*option)) {
      absl::StrAppend(&rows, "_stridecast_files; return ;;\n");
    } else {
      absl::StrAppend(&rows, "_stridecast_words '", values, "'; return ;;\n");
    }
  }
  return rows;
}

std::string FlagWords(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (std::string& spelling : Spellings(*option)) {
      words.push_back(std::move(spelling));
    }
  }
  return absl::StrJoin(words, " ");
}

// What stands for a command's arguments that are no flags.
std::string Arguments(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    return IsFile(*option)
               ? "_stridecast_files"
               : absl::StrCat("_stridecast_words '", ValuesOf(*option), "'");
  }
  return ":";
}

constexpr char kHead[] =
    R"(# Completes the arguments of stridecast in bash. Made from its help.
_stridecast_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_stridecast_files() {
  # Behind NUMBER= and NAME= of operands too: bash has split the word there.
  [ "$cur" != = ] || cur=
  mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  compopt -o filenames 2>/dev/null || :
}
_stridecast() {
  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command= word
  COMPREPLY=()
  # --FLAG=VALUE: bash has split it at the sign, too.
  [ "$cur" != = ] || [[ $previous != -* ]] || cur=
  if [ "$previous" = = ] && [[ ${COMP_WORDS[COMP_CWORD-2]} == -* ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      @COMMANDS@) command=$word; break ;;
    esac
  done
  # Values of options: those of all commands, then those of this one.
  case any\ $previous in
@COMMON@  esac
  case $command\ $previous in
@VALUES@  esac
  case $command in
    '') case $cur in
          -*) _stridecast_words '@COMMON_FLAGS@' ;;
          *) _stridecast_words '@COMMAND_WORDS@' ;;
        esac ;;
@ROWS@  esac
}
complete -F _stridecast stridecast
)";

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  const std::string common_flags = FlagWords(app);
  std::vector<std::string> names;
  std::string values;
  std::string rows;
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string& name = command->get_name();
    names.push_back(name);
    values += ValueRows(*command, name);
    absl::StrAppend(&rows, "    ", name, ") case $cur in\n          -*) ",
                    "_stridecast_words '", FlagWords(*command), " ",
                    common_flags, "' ;;\n          *) ", Arguments(*command),
                    " ;;\n        esac ;;\n");
  }
  return absl::StrReplaceAll(kHead,
                             {{"@COMMANDS@", absl::StrJoin(names, "|")},
                              {"@COMMAND_WORDS@", absl::StrJoin(names, " ")},
                              {"@COMMON@", ValueRows(app, "any")},
                              {"@VALUES@", values},
                              {"@COMMON_FLAGS@", common_flags},
                              {"@ROWS@", rows}});
}

}  // namespace stridecast
