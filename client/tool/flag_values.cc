// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/flag_values.h"

#include <functional>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/target.h"

namespace stridecast {
namespace {

std::string Refused(const std::string& text, absl::string_view wanted) {
  return absl::StrCat("\"", absl::StripAsciiWhitespace(text), "\" is not ",
                      wanted);
}

CLI::Validator Named(const char* name,
                     std::function<std::string(std::string&)> check) {
  return CLI::Validator(std::move(check), "", name);
}

}  // namespace

std::string CheckSeconds(const std::string& text, bool may_be_zero) {
  const double least = may_be_zero ? 0 : 1e-6;
  double seconds = 0;
  // Not (seconds < least): nan is refused.
  if (absl::SimpleAtod(text, &seconds) && seconds >= least &&
      seconds <= kMaxSeconds) {
    return "";
  }
  return Refused(text, absl::StrCat("a number of seconds from ",
                                    may_be_zero ? "0" : "0.000001", " to ",
                                    static_cast<int64_t>(kMaxSeconds)));
}

std::string CheckWhole(const std::string& text, int64_t least, int64_t most) {
  int64_t number = 0;
  if (absl::SimpleAtoi(text, &number) && number >= least && number <= most) {
    return "";
  }
  return Refused(text,
                 absl::StrCat("a whole number from ", least, " to ", most));
}

std::string ReadByteSize(std::string& text, int64_t least, int64_t most) {
  constexpr std::pair<absl::string_view, int> kUnits[] = {
      {"kb", 10}, {"mb", 20}, {"gb", 30}, {"k", 10},
      {"m", 20},  {"g", 30},  {"b", 0},   {"", 0}};
  const std::string lower = absl::AsciiStrToLower(text);
  for (const auto& [unit, shift] : kUnits) {
    absl::string_view digits = lower;
    if (!absl::ConsumeSuffix(&digits, unit)) continue;
    int64_t number = 0;
    if (!absl::SimpleAtoi(digits, &number) || number > most >> shift ||
        number < 0 || number << shift < least) {
      break;
    }
    text = absl::StrCat(number << shift);
    return "";
  }
  return Refused(text, absl::StrCat("a number of bytes from ", least, " to ",
                                    most, ", as in 64kb or 4mb"));
}

std::string CheckAddress(const std::string& text) {
  const std::string fault = TargetFault(text);
  return fault.empty() ? ""
                       : absl::StrCat("\"", text, "\" is no address: ", fault);
}

CLI::Validator Seconds() {
  return Named("SECONDS", [](std::string& text) {
    return CheckSeconds(text, /*may_be_zero=*/false);
  });
}

CLI::Validator SecondsOrNone() {
  return Named("SECONDS", [](std::string& text) {
    return CheckSeconds(text, /*may_be_zero=*/true);
  });
}

CLI::Validator Whole(int64_t least, int64_t most) {
  return Named("WHOLE", [least, most](std::string& text) {
    return CheckWhole(text, least, most);
  });
}

CLI::Validator Address() {
  return Named("ADDRESS", [](std::string& text) { return CheckAddress(text); });
}

CLI::Validator ByteSize(int64_t least, int64_t most) {
  return Named("BYTES", [least, most](std::string& text) {
    return ReadByteSize(text, least, most);
  });
}

}  // namespace stridecast
