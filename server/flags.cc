// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/flags.h"

#include <cstdlib>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace stridecast {
namespace {

constexpr char kSwitchType[] = "on|off";

// "value" is `what`.
absl::Status Fault(absl::string_view value, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("\"", value, "\" ", what));
}

absl::Status TooGreat(absl::string_view value) {
  return Fault(value, absl::StrCat("is more than ",
                                   std::numeric_limits<int64_t>::max()));
}

absl::StatusOr<int64_t> ParseNumber(absl::string_view text) {
  absl::string_view digits = text;
  if (absl::StartsWith(digits, "-")) digits.remove_prefix(1);
  const bool is_decimal =
      !digits.empty() &&
      digits.find_first_not_of("0123456789") == absl::string_view::npos &&
      (digits.size() == 1 || digits[0] != '0');
  if (!is_decimal) return Fault(text, "is no whole decimal number");
  int64_t value;
  if (absl::SimpleAtoi(text, &value)) return value;
  return TooGreat(text);
}

// None if there is no such unit.
std::optional<int64_t> UnitBytes(absl::string_view unit) {
  std::string name = absl::AsciiStrToLower(unit);
  if (absl::EndsWith(name, "b")) name.pop_back();
  if (name.empty()) return 1;
  const bool is_binary = name.size() == 2 && name[1] == 'i';
  const size_t power = absl::string_view("kmgtpe").find(name[0]);
  if (power == absl::string_view::npos || (name.size() > 1 && !is_binary)) {
    return std::nullopt;
  }
  int64_t bytes = 1;
  for (size_t i = 0; i <= power; ++i) bytes *= is_binary ? 1024 : 1000;
  return bytes;
}

absl::StatusOr<int64_t> ParseBytes(absl::string_view text) {
  const size_t end = text.find_first_not_of("-0123456789");
  const absl::StatusOr<int64_t> number = ParseNumber(text.substr(0, end));
  const std::optional<int64_t> unit =
      end == absl::string_view::npos
          ? 1
          : UnitBytes(absl::StripLeadingAsciiWhitespace(text.substr(end)));
  if (!unit.has_value() || (!number.ok() && text.substr(0, end).size() < 19)) {
    return Fault(text, "is no number of bytes, such as 65536, 64MiB or 1GB");
  }
  int64_t bytes;
  if (!number.ok() || __builtin_mul_overflow(*number, *unit, &bytes)) {
    return TooGreat(text);
  }
  return bytes;
}

absl::StatusOr<bool> ParseSwitch(absl::string_view text) {
  bool is_on;
  if (absl::SimpleAtob(text, &is_on)) return is_on;
  if (absl::EqualsIgnoreCase(text, "on")) return true;
  if (absl::EqualsIgnoreCase(text, "off")) return false;
  return Fault(text, "is neither on nor off");
}

absl::StatusOr<int64_t> ParseMode(absl::string_view text) {
  if (text.empty() || text.size() > 4 ||
      text.find_first_not_of("01234567") != absl::string_view::npos) {
    return Fault(text, "is no octal mode such as 0660");
  }
  return std::stoi(std::string(text), nullptr, 8);
}

[[noreturn]] void ThrowMissingValue(absl::string_view flag) {
  throw CLI::ArgumentMismatch(
      absl::StrCat(flag,
                   ": a value is missing; without the flag its default is in "
                   "effect"),
      CLI::ExitCodes::ArgumentMismatch);
}

// Of a comma list: nothing but commas.
bool IsEmptyValue(absl::string_view value) {
  return value.find_first_not_of(", ") == absl::string_view::npos;
}

void CutComment(std::string& line) {
  bool is_quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') is_quoted = !is_quoted;
    if (line[i] == '#' && !is_quoted &&
        (i == 0 || absl::ascii_isspace(line[i - 1]))) {
      line.resize(i);
      return;
    }
  }
}

}  // namespace

std::string VariableOf(absl::string_view flag) {
  return absl::StrCat(
      kVariablePrefix,
      absl::AsciiStrToUpper(absl::StrReplaceAll(flag.substr(2), {{"-", "_"}})));
}

bool IsVariableSet(const std::string& variable) {
  const char* const value = std::getenv(variable.c_str());
  return value != nullptr && *value != '\0';
}

template <typename Value>
void Flags::AddParsed(const std::string& flag, Value& value,
                      const std::string& type, const std::string& help,
                      const std::string& default_text,
                      absl::StatusOr<Value> (*parse)(absl::string_view)) {
  const auto check = [parse](const std::string& text) {
    return std::string(parse(text).status().message());
  };
  CLI::Option* const option = app_.add_option_function<std::string>(
      flag, [&value, parse](const std::string& text) { value = *parse(text); },
      help);
  Finish(option, flag, type)
      ->check(CLI::Validator(check, ""))
      ->default_str(default_text);
}

void Flags::AddBytes(const std::string& flag, int64_t& value,
                     const std::string& help) {
  AddParsed(flag, value, "BYTES", help, absl::StrCat(value), &ParseBytes);
}

void Flags::AddNumber(const std::string& flag, int64_t& value,
                      const std::string& type, const std::string& help) {
  AddParsed(flag, value, type, help, absl::StrCat(value), &ParseNumber);
}

void Flags::AddSwitch(const std::string& flag, bool& value,
                      const std::string& help) {
  AddParsed(flag, value, kSwitchType, help, value ? "on" : "off", &ParseSwitch);
}

void Flags::AddMode(const std::string& flag, int64_t& value,
                    const std::string& help) {
  AddParsed(flag, value, "MODE", help, absl::StrFormat("%04o", value),
            &ParseMode);
}

void Flags::AddText(const std::string& flag, std::string& value,
                    const std::string& type, const std::string& help) {
  Finish(app_.add_option(flag, value, help), flag, type)->capture_default_str();
}

void Flags::AddList(const std::string& flag, std::vector<std::string>& value,
                    const std::string& type, const std::string& help) {
  Finish(app_.add_option(flag, value, help), flag, type)
      ->delimiter(',')
      ->default_str(absl::StrJoin(value, ","));
}

CLI::Option* Flags::Finish(CLI::Option* option, const std::string& flag,
                           const std::string& type) {
  return option->type_name(type)->group(group_)->envname(VariableOf(flag));
}

std::vector<std::string> ReverseArguments(const CLI::App& app, int argc,
                                          const char* const* argv) {
  std::vector<std::string> arguments;
  absl::flat_hash_set<std::string> given;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    const size_t equals = argument.find('=');
    const std::string flag = argument.substr(0, equals);
    const CLI::Option* const option =
        absl::StartsWith(flag, "--") ? app.get_option_no_throw(flag) : nullptr;
    if (option == nullptr || option->get_items_expected_max() == 0) {
      arguments.push_back(std::move(argument));
      continue;
    }
    const bool is_list = option->get_delimiter() != '\0';
    if (!is_list && !given.insert(flag).second) {
      throw CLI::ArgumentMismatch(absl::StrCat(flag, ": given twice"),
                                  CLI::ExitCodes::ArgumentMismatch);
    }
    std::string value;
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < argc && !absl::StartsWith(argv[i + 1], "--")) {
      value = argv[++i];
    } else if (option->get_type_name() == kSwitchType) {
      value = "on";
    }
    if (value.empty() || (is_list && IsEmptyValue(value))) {
      ThrowMissingValue(argument);
    }
    arguments.push_back(absl::StrCat(flag, "=", value));
  }
  return {arguments.rbegin(), arguments.rend()};
}

FlagFile::FlagFile(const CLI::App* app) : app_(app) {
  comment('\0');  // CLI11 cuts values at it, within quotes, too
}

std::vector<CLI::ConfigItem> FlagFile::from_config(std::istream& in) const {
  std::stringstream lines;
  absl::flat_hash_set<std::string> names;
  for (std::string line; std::getline(in, line);) {
    CutComment(line);
    lines << line << "\n";
    // CLI11 would join two, or take one of them.
    const std::string name(
        absl::StripAsciiWhitespace(line.substr(0, line.find('='))));
    if (app_->get_option_no_throw("--" + name) != nullptr &&
        !names.insert(name).second) {
      Fail(absl::StrCat("sets \"", name, "\" twice"));
    }
  }
  std::vector<CLI::ConfigItem> read = CLI::ConfigTOML::from_config(lines);
  for (const CLI::ConfigItem& item : read) {
    if (!item.parents.empty()) {
      Fail(absl::StrCat("has a section [", item.parents.front(),
                        "]; it is a list of flags"));
    }
    const CLI::Option* option = app_->get_option_no_throw("--" + item.name);
    if (option != nullptr && option->get_configurable()) continue;
    Fail(absl::StrCat("sets \"", item.name, "\", which is no flag of it"));
  }
  std::erase_if(read, [](const CLI::ConfigItem& item) {
    return IsVariableSet(VariableOf("--" + item.name));
  });
  return read;
}

void FlagFile::Fail(absl::string_view fault) const {
  throw CLI::ConfigError(
      absl::StrCat("the flag file ", app_->get_config_ptr()->as<std::string>(),
                   " ", fault),
      CLI::ExitCodes::ConfigError);
}

}  // namespace stridecast
