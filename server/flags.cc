// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/flags.h"

#include <cstdlib>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace stridecast {
namespace {

constexpr char kSwitchType[] = "on|off";
// An empty text: CLI11 would take what comes next for the value.
constexpr char kEmptyText[] = "''";
constexpr char kNoValue[] = "a value is missing";

// "value" is `what`.
absl::Status Fault(absl::string_view value, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("\"", value, "\" ", what));
}

absl::Status TooGreat(absl::string_view value) {
  return absl::OutOfRangeError(absl::StrCat(
      "\"", value, "\" is more than ", std::numeric_limits<int64_t>::max()));
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
  if (!unit.has_value() || absl::IsInvalidArgument(number.status())) {
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
  const int64_t mode = std::stoi(std::string(text), nullptr, 8);
  if (mode > 0777) return Fault(text, "is more than 0777");
  return mode;
}

absl::StatusOr<std::string> ParseText(absl::string_view text) {
  return std::string(text == kEmptyText ? "" : text);
}

absl::StatusOr<std::vector<std::string>> ParseList(absl::string_view text) {
  std::vector<std::string> items;
  for (absl::string_view item : absl::StrSplit(text, ',')) {
    item = absl::StripAsciiWhitespace(item);
    if (item.empty()) return Fault(text, "has an empty item");
    items.emplace_back(item);
  }
  return items;
}

bool IsList(const CLI::Option& option) {
  return option.get_items_expected_max() > 1;
}
bool IsSwitch(const CLI::Option& option) {
  return option.get_type_name() == kSwitchType;
}

// Without what follows a # that begins a comment.
absl::string_view WithoutComment(absl::string_view line) {
  char quote = '\0';
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && (i == 0 || absl::ascii_isspace(line[i - 1]))) {
      return line.substr(0, i);
    }
  }
  return line;
}

// Asks `parse`; of texts alone kEmptyText is one.
template <typename Value>
CLI::Validator CheckBy(absl::StatusOr<Value> (*parse)(absl::string_view)) {
  const auto check = [parse](const std::string& text) -> std::string {
    const bool may_be_empty = std::is_same_v<Value, std::string>;
    if (text == kEmptyText && !may_be_empty) return kNoValue;
    return std::string(parse(text).status().message());
  };
  return CLI::Validator(check, "");
}

// As the flag file has it.
std::string Quoted(const std::string& text) {
  const bool is_plain =
      !text.empty() && text.find_first_of(" \t#\"'") == std::string::npos;
  if (is_plain) return text;
  const char quote = text.find('"') == std::string::npos ? '"' : '\'';
  return absl::StrCat(std::string(1, quote), text, std::string(1, quote));
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
  CLI::Option* const option = app_.add_option_function<std::string>(
      flag, [&value, parse](const std::string& text) { value = *parse(text); },
      help);
  Finish(option, flag, type)->check(CheckBy(parse))->default_str(default_text);
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
  AddParsed(flag, value, type, help, value, &ParseText);
}

void Flags::AddList(const std::string& flag, std::vector<std::string>& value,
                    const std::string& type, const std::string& help) {
  const auto set = [&value](const std::vector<std::string>& texts) {
    value = *ParseList(absl::StrJoin(texts, ","));
  };
  Finish(app_.add_option_function<std::vector<std::string>>(flag, set, help),
         flag, type)
      ->check(CheckBy(&ParseList))
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
    if (!IsList(*option) && !given.insert(flag).second) {
      throw CLI::ArgumentMismatch(absl::StrCat(flag, ": given twice"),
                                  CLI::ExitCodes::ArgumentMismatch);
    }
    std::string value;
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < argc && !absl::StartsWith(argv[i + 1], "--")) {
      value = argv[++i];
    } else if (IsSwitch(*option)) {
      value = "on";
    } else {
      throw CLI::ArgumentMismatch(absl::StrCat(argument, ": ", kNoValue),
                                  CLI::ExitCodes::ArgumentMismatch);
    }
    arguments.push_back(
        absl::StrCat(flag, "=", value.empty() ? kEmptyText : value));
  }
  return {arguments.rbegin(), arguments.rend()};
}

std::string FlagFile::to_config(const CLI::App* app, bool, bool,
                                std::string) const {
  std::string lines;
  for (const CLI::Option* option : app->get_options()) {
    if (!option->get_configurable() || option->get_lnames().empty()) continue;
    std::string value = option->count() == 0
                            ? option->get_default_str()
                            : absl::StrJoin(option->results(), ",");
    if (value == kEmptyText) value.clear();
    absl::StrAppend(&lines, option->get_lnames().front(), "=", Quoted(value),
                    "\n");
  }
  return lines;
}

std::vector<CLI::ConfigItem> FlagFile::from_config(std::istream& in) const {
  std::vector<CLI::ConfigItem> read;
  absl::flat_hash_set<std::string> names;
  for (std::string line; std::getline(in, line);) {
    const absl::string_view text =
        absl::StripAsciiWhitespace(WithoutComment(line));
    if (text.empty()) continue;
    const size_t equals = text.find('=');
    const std::string name(absl::StripAsciiWhitespace(text.substr(0, equals)));
    const CLI::Option* const option = app_->get_option_no_throw("--" + name);
    if (option == nullptr || !option->get_configurable()) {
      Fail(absl::StrCat("sets \"", name, "\", which is no flag of it"));
    }
    if (!names.insert(name).second) {
      Fail(absl::StrCat("sets \"", name, "\" twice"));
    }
    std::string value;
    if (equals != absl::string_view::npos) {
      value = ValueIn(name, text.substr(equals + 1));
    } else if (IsSwitch(*option)) {
      value = "on";
    } else {
      Fail(absl::StrCat("has no value for \"", name, "\""));
    }
    if (IsVariableSet(VariableOf("--" + name))) continue;
    read.push_back({.name = name, .inputs = {std::move(value)}});
  }
  return read;
}

std::string FlagFile::ValueIn(const std::string& name,
                              absl::string_view text) const {
  text = absl::StripAsciiWhitespace(text);
  const bool is_quoted = !text.empty() && (text[0] == '"' || text[0] == '\'');
  if (is_quoted) {
    if (text.find(text[0], 1) != text.size() - 1 || text.size() < 2) {
      Fail(absl::StrCat("has quotes that do not match for \"", name, "\""));
    }
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text.empty() ? kEmptyText : text);
}

void FlagFile::Fail(absl::string_view fault) const {
  throw CLI::ConfigError(
      absl::StrCat("the flag file ", app_->get_config_ptr()->as<std::string>(),
                   " ", fault),
      CLI::ExitCodes::ConfigError);
}

}  // namespace stridecast
