// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/expression/tokens.h"

#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/expression/advice.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Longer ones first.
constexpr absl::string_view kSymbols[] = {
    "**", "//", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%",
    "&",  "|",  "^",  "~",  "!",  "<",  ">", "(", ")", ","};

struct Mistake {
  absl::string_view symbol;
  absl::string_view hint;
};
constexpr Mistake kMistakes[] = {
    {"&&", "write & instead, with comparisons in parentheses"},
    {"||", "write | instead, with comparisons in parentheses"},
    {"<<", "write shift_left(x, y) instead"},
    {">>",
     "write shift_right_arithmetic(x, y) or shift_right_logical(x, y) "
     "instead"},
};

bool IsNameStart(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool IsNamePart(char c) { return absl::ascii_isalnum(c) || c == '_'; }

class Tokenizer {
 public:
  explicit Tokenizer(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    size_t end = 0;
    while (SkipSpace()) {
      ASSIGN_OR_RETURN(Token token, Next());
      end = token.place.end;
      tokens.push_back(std::move(token));
    }
    Token& last = tokens.emplace_back();
    last.place = {end, end};
    return tokens;
  }

 private:
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  absl::string_view From(size_t begin) const {
    return text_.substr(begin, at_ - begin);
  }

  // Whether anything is left.
  bool SkipSpace() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
    return at_ < text_.size();
  }
  template <typename Predicate>
  void SkipWhile(Predicate predicate) {
    while (at_ < text_.size() && predicate(text_[at_])) ++at_;
  }

  absl::StatusOr<Token> Next() {
    const size_t begin = at_;
    const bool is_number =
        absl::ascii_isdigit(text_[at_]) ||
        (text_[at_] == '.' && absl::ascii_isdigit(At(at_ + 1)));
    Token token;
    if (is_number) {
      token.kind = Token::Kind::kNumber;
      RETURN_IF_ERROR(ReadNumber(token));
    } else if (IsNameStart(text_[at_])) {
      token.kind = Token::Kind::kName;
      SkipWhile(IsNamePart);
    } else {
      token.kind = Token::Kind::kSymbol;
      RETURN_IF_ERROR(ReadSymbol());
    }
    token.place = {begin, at_};
    token.text = From(begin);
    return token;
  }

  absl::Status ReadSymbol() {
    const absl::string_view rest = text_.substr(at_);
    for (const Mistake& mistake : kMistakes) {
      if (!absl::StartsWith(rest, mistake.symbol)) continue;
      return ErrorAt(text_, {at_, at_ + mistake.symbol.size()},
                     absl::StrCat("\"", mistake.symbol, "\" is no operator; ",
                                  mistake.hint));
    }
    for (absl::string_view symbol : kSymbols) {
      if (!absl::StartsWith(rest, symbol)) continue;
      at_ += symbol.size();
      return absl::OkStatus();
    }
    if (rest[0] == '=') {
      return ErrorAt(text_, {at_, at_ + 1},
                     "\"=\" assigns nothing here; == compares");
    }
    return ErrorAt(text_, {at_, at_ + 1}, "unexpected character");
  }

  absl::Status ReadNumber(Token& token) {
    const size_t begin = at_;
    const bool is_hex = text_[at_] == '0' && (At(at_ + 1) | 0x20) == 'x' &&
                        absl::ascii_isxdigit(At(at_ + 2));
    if (is_hex) {
      at_ += 2;
      SkipWhile(absl::ascii_isxdigit);
      RETURN_IF_ERROR(ReadInteger(begin, token.number));
    } else if (SkipDecimal()) {
      RETURN_IF_ERROR(ReadInteger(begin, token.number));
    } else {
      RETURN_IF_ERROR(ReadFloating(begin, token.number));
    }
    return ReadSuffix(token.type);
  }

  // Whether it is an integer.
  bool SkipDecimal() {
    bool is_integer = true;
    SkipWhile(absl::ascii_isdigit);
    if (At(at_) == '.') {
      is_integer = false;
      ++at_;
      SkipWhile(absl::ascii_isdigit);
    }
    const bool has_sign = At(at_ + 1) == '+' || At(at_ + 1) == '-';
    if ((At(at_) | 0x20) == 'e' &&
        absl::ascii_isdigit(At(at_ + (has_sign ? 2 : 1)))) {
      is_integer = false;
      at_ += has_sign ? 2 : 1;
      SkipWhile(absl::ascii_isdigit);
    }
    return is_integer;
  }

  absl::Status ReadInteger(size_t begin, Number& number) {
    uint64_t magnitude = 0;
    const absl::string_view digits = From(begin);
    const bool fits = absl::StartsWithIgnoreCase(digits, "0x")
                          ? absl::SimpleHexAtoi(digits, &magnitude)
                          : absl::SimpleAtoi(digits, &magnitude);
    if (!fits) {
      return ErrorAt(text_, {begin, at_}, "an integer past 2^64-1");
    }
    number = Number::Integer(/*is_negative=*/false, magnitude);
    return absl::OkStatus();
  }

  absl::Status ReadFloating(size_t begin, Number& number) {
    double value = 0;
    const absl::string_view digits = From(begin);
    const auto [end, error] =
        absl::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc()) {
      return ErrorAt(text_, {begin, at_}, "a number that f64 cannot hold");
    }
    number = Number(value);
    return absl::OkStatus();
  }

  absl::Status ReadSuffix(std::optional<DType>& type) {
    const size_t begin = at_;
    SkipWhile(IsNamePart);
    if (at_ == begin) return absl::OkStatus();
    type = ParseDType(From(begin));
    if (type) return absl::OkStatus();
    return ErrorAt(text_, {begin, at_},
                   absl::StrCat("\"", From(begin),
                                "\" is no element type; a number may end in "
                                "one, as 1f32 does",
                                TypeAdvice(From(begin))));
  }

  absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<Token>> Tokenize(absl::string_view text) {
  return Tokenizer(text).Run();
}

}  // namespace stridecast
