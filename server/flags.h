// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the server's flags have in common: each is a variable and a line of the
// flag file too, and what cannot be its value is refused with the flag, the
// value and what it should be.

#ifndef STRIDECAST_SERVER_FLAGS_H_
#define STRIDECAST_SERVER_FLAGS_H_

#include <cstdint>
#include <istream>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stridecast {

inline constexpr absl::string_view kVariablePrefix = "STRIDECAST_";

// "--max-message-bytes": STRIDECAST_MAX_MESSAGE_BYTES.
std::string VariableOf(absl::string_view flag);

// An empty one is not.
bool IsVariableSet(const std::string& variable);

// Adds flags to one group of the help.
class Flags {
 public:
  Flags(CLI::App& app, std::string group)
      : app_(app), group_(std::move(group)) {}

  // Plain, or with a unit: 64MiB, 1GB (powers of 1024 and of 1000).
  void AddBytes(const std::string& flag, int64_t& value,
                const std::string& help);
  // Whole and decimal.
  void AddNumber(const std::string& flag, int64_t& value,
                 const std::string& type, const std::string& help);
  // on or off; its name alone is on.
  void AddSwitch(const std::string& flag, bool& value, const std::string& help);
  // May be empty.
  void AddText(const std::string& flag, std::string& value,
               const std::string& type, const std::string& help);
  // Items between commas, none of them empty; the flag may come several times.
  void AddList(const std::string& flag, std::vector<std::string>& value,
               const std::string& type, const std::string& help);
  // Permissions, octal, of at most 0777.
  void AddMode(const std::string& flag, int64_t& value,
               const std::string& help);

 private:
  template <typename Value>
  void AddParsed(const std::string& flag, Value& value, const std::string& type,
                 const std::string& help, const std::string& default_text,
                 absl::StatusOr<Value> (*parse)(absl::string_view));
  CLI::Option* Finish(CLI::Option* option, const std::string& flag,
                      const std::string& type);

  CLI::App& app_;
  const std::string group_;
};

// The arguments of `app`, without the program's name, in the reverse order that
// CLI11 takes, each with its value as --flag=value: what begins with -- is
// none. Throws CLI::ParseError where a value is missing, or a flag that has one
// value is given twice.
std::vector<std::string> ReverseArguments(const CLI::App& app, int argc,
                                          const char* const* argv);

// Lines "max-message-bytes=1MiB", each flag once. A value may stand in quotes,
// double or single ones; # begins a comment at the beginning of a line or after
// a space, unless it is quoted. What the environment sets counts more. Throws
// CLI::ParseError naming the file and the fault.
class FlagFile final : public CLI::Config {
 public:
  explicit FlagFile(const CLI::App* app) : app_(app) {}

  // All options with what they have.
  std::string to_config(const CLI::App* app, bool, bool,
                        std::string) const override;
  std::vector<CLI::ConfigItem> from_config(std::istream& in) const override;

 private:
  std::string ValueIn(const std::string& name, absl::string_view text) const;
  [[noreturn]] void Fail(absl::string_view fault) const;

  const CLI::App* const app_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_FLAGS_H_
