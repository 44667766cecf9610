// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The grammar, one function each:
//   binary   = unary { OPERATOR binary }       by precedence, to the left
//   unary    = ("-" | "+" | "~" | "!") unary | power
//   power    = primary [ "**" unary ]          to the right
//   primary  = NUMBER | NAME | NAME "(" arguments ")" | "(" binary ")"
// Tokens are read once, one ahead, and terms made as soon as they are known.

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/expression/advice.h"
#include "client/expression/call.h"
#include "client/expression/fold.h"
#include "client/expression/functions.h"
#include "client/expression/place.h"
#include "client/expression/terms.h"
#include "client/expression/tokens.h"
#include "client/program_transaction.h"
#include "stridecast/expression.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr size_t kMaxTextBytes = 65536;
// At 13 KiB of stack for a level that has every operator: 1.3 MiB.
constexpr int kMaxDepth = 100;
constexpr double kPi = 3.14159265358979323846;

using Direction = CompareAttribute::Direction;

struct BinaryOperator {
  absl::string_view symbol;
  int level;  // greater binds tighter
  Opcode opcode;
  std::optional<Direction> direction = {};
};
constexpr int kComparison = 1;
constexpr BinaryOperator kBinaryOperators[] = {
    {"==", kComparison, Opcode::kCompare, Direction::kEq},
    {"!=", kComparison, Opcode::kCompare, Direction::kNe},
    {"<", kComparison, Opcode::kCompare, Direction::kLt},
    {"<=", kComparison, Opcode::kCompare, Direction::kLe},
    {">", kComparison, Opcode::kCompare, Direction::kGt},
    {">=", kComparison, Opcode::kCompare, Direction::kGe},
    {"|", 2, Opcode::kOr},
    {"^", 3, Opcode::kXor},
    {"&", 4, Opcode::kAnd},
    {"+", 5, Opcode::kAdd},
    {"-", 5, Opcode::kSubtract},
    {"*", 6, Opcode::kMultiply},
    {"/", 6, Opcode::kDivide},
    {"//", 6, Opcode::kFloorDivide},
    {"%", 6, Opcode::kRemainder},
};

// Null if the token is none.
const BinaryOperator* OperatorOf(const Token& token) {
  for (const BinaryOperator& binary : kBinaryOperators) {
    if (token.Is(binary.symbol)) return &binary;
  }
  return nullptr;
}

class Parser {
 public:
  Parser(absl::string_view text, std::vector<Token> tokens,
         const ExpressionOperands& operands, ProgramBuilder& builder)
      : text_(text),
        tokens_(std::move(tokens)),
        operands_(operands),
        terms_(text, builder) {}

  absl::StatusOr<Term> Run() {
    if (Peek().kind == Token::Kind::kEnd) {
      return Error(Peek(), "nothing to compute");
    }
    ASSIGN_OR_RETURN(Term term, ParseBinary(0));
    if (Peek().kind != Token::Kind::kEnd) {
      return Error(Peek(), Peek().Is(")") ? "\")\" closes nothing"
                           : Peek().Is(",")
                               ? "\",\" outside of a function's parentheses"
                               : "expected an operator");
    }
    if (!term.IsNumber()) return term;
    return ErrorAt(text_, term.place,
                   "a number alone has no element type; give it one, as in "
                   "2f32");
  }

 private:
  const Token& Peek() const { return tokens_[at_]; }
  const Token& Take() {
    const Token& token = tokens_[at_];
    if (token.kind != Token::Kind::kEnd) ++at_;
    return token;
  }
  bool TakeIf(absl::string_view symbol) {
    if (!Peek().Is(symbol)) return false;
    Take();
    return true;
  }

  absl::Status Error(const Token& token, absl::string_view message) const {
    return ErrorAt(text_, token.place, message);
  }

  absl::StatusOr<Term> ParseBinary(int min_level) {
    ASSIGN_OR_RETURN(Term term, ParseUnary());
    const BinaryOperator* previous = nullptr;
    while (const BinaryOperator* binary = OperatorOf(Peek())) {
      if (binary->level < min_level) break;
      const Token& token = Take();
      if (previous != nullptr && previous->level == kComparison &&
          binary->level == kComparison) {
        return Error(token,
                     "comparisons do not chain; write (a < b) & (b < c)");
      }
      ASSIGN_OR_RETURN(Term right, ParseBinary(binary->level + 1));
      Attribute attribute;
      if (binary->direction) attribute = CompareAttribute{*binary->direction};
      ASSIGN_OR_RETURN(
          term, terms_.Binary(token.place, binary->opcode, std::move(term),
                              std::move(right), std::move(attribute)));
      previous = binary;
    }
    return term;
  }

  absl::StatusOr<Term> ParseUnary() {
    if (depth_ == kMaxDepth) {
      return Error(
          Peek(), absl::StrCat("nested more than ", kMaxDepth, " levels deep"));
    }
    ++depth_;
    auto term = ParseUnaryInside();
    --depth_;
    return term;
  }

  absl::StatusOr<Term> ParseUnaryInside() {
    const Token& token = Peek();
    if (TakeIf("+")) return ParseUnary();
    if (TakeIf("-")) {
      if (IsTypedNumber()) return ParseNumber(&token);
      ASSIGN_OR_RETURN(const Term x, ParseUnary());
      return terms_.Unary(token.place, Opcode::kNegate, x);
    }
    if (TakeIf("~")) {
      ASSIGN_OR_RETURN(const Term x, ParseUnary());
      return terms_.Unary(token.place, Opcode::kNot, x);
    }
    if (TakeIf("!")) {
      ASSIGN_OR_RETURN(const Term x, ParseUnary());
      return terms_.LogicalNot(token.place, x);
    }
    return ParsePower();
  }

  // A number with a suffix and no power of it: -128s8 is in range, 128s8 not.
  bool IsTypedNumber() const {
    return Peek().kind == Token::Kind::kNumber && Peek().type &&
           !tokens_[at_ + 1].Is("**");
  }

  absl::StatusOr<Term> ParsePower() {
    ASSIGN_OR_RETURN(Term base, ParsePrimary());
    const Token& token = Peek();
    if (!TakeIf("**")) return base;
    ASSIGN_OR_RETURN(Term exponent, ParseUnary());
    return terms_.Binary(token.place, Opcode::kPower, std::move(base),
                         std::move(exponent));
  }

  absl::StatusOr<Term> ParsePrimary() {
    const Token& token = Peek();
    switch (token.kind) {
      case Token::Kind::kNumber:
        return ParseNumber(/*minus=*/nullptr);
      case Token::Kind::kName:
        Take();
        return Peek().Is("(") ? ParseCall(token) : ParseName(token);
      case Token::Kind::kEnd:
        return Error(token, "expected a value, the expression ends here");
      case Token::Kind::kSymbol:
        break;
    }
    if (!TakeIf("(")) return Error(token, "expected a value");
    ASSIGN_OR_RETURN(Term inside, ParseBinary(0));
    RETURN_IF_ERROR(Close(token));
    return inside;
  }

  absl::Status Close(const Token& open) {
    if (TakeIf(")")) return absl::OkStatus();
    if (Peek().kind == Token::Kind::kEnd) {
      return Error(open, "\"(\" is not closed");
    }
    return Error(Peek(), "expected \")\" or an operator");
  }

  // `minus` is the sign before it, if it has one.
  absl::StatusOr<Term> ParseNumber(const Token* minus) {
    const Token& token = Take();
    const Number number = minus ? Negated(token.number) : token.number;
    const Place place = {(minus ? *minus : token).place.begin, token.place.end};
    if (token.type) return terms_.Scalar(place, number, *token.type);
    return Term{number, "", place};
  }

  absl::StatusOr<Term> ParseName(const Token& name) {
    const auto operand = operands_.find(name.text);
    if (operand != operands_.end()) {
      return terms_.Operand(name.place, operand->second);
    }
    if (name.text == "true" || name.text == "false") {
      return terms_.Scalar(name.place, name.text == "true", DType::kPred);
    }
    if (name.text == "inf") {
      return Term{std::numeric_limits<double>::infinity(), "", name.place};
    }
    if (name.text == "nan") {
      return Term{std::numeric_limits<double>::quiet_NaN(), "", name.place};
    }
    if (name.text == "pi") return Term{kPi, "", name.place};
    std::vector<std::string> names;
    for (const auto& [known, value] : operands_) names.push_back(known);
    const std::string call = CallOf(name.text);
    if (!call.empty()) {
      return Error(name, absl::StrCat("\"", name.text,
                                      "\" is a function: ", "write ", call));
    }
    return Error(name, absl::StrCat("unknown name \"", name.text, "\"",
                                    DidYouMean(name.text, names)));
  }

  absl::StatusOr<Term> ParseCall(const Token& name) {
    const Token& open = Take();
    if (const auto type = ParseDType(name.text)) {
      return ParseCast(name, open, *type);
    }
    const Operation* const operation = FindFunction(name.text);
    if (operation == nullptr) {
      std::string advice = TypeAdvice(name.text);
      if (advice.empty()) advice = FunctionAdvice(name.text);
      if (advice.empty()) advice = DidYouMean(name.text, FunctionNames());
      return Error(
          name, absl::StrCat("unknown function \"", name.text, "\"", advice));
    }
    switch (operation->form) {
      case Form::kTranspose:
      case Form::kReverse:
      case Form::kReshape:
        return ParseView(name, open, operation->form);
      case Form::kBitcastConvert:
        return ParseBitcast(name, open);
      default:
        break;
    }
    ASSIGN_OR_RETURN(std::vector<Term> arguments, ParseArguments(open));
    return Call(text_, name.place, *operation, std::move(arguments), terms_);
  }

  // Behind the "(".
  absl::StatusOr<std::vector<Term>> ParseArguments(const Token& open) {
    std::vector<Term> arguments;
    if (TakeIf(")")) return arguments;
    do {
      ASSIGN_OR_RETURN(Term argument, ParseBinary(0));
      arguments.push_back(std::move(argument));
    } while (TakeIf(","));
    RETURN_IF_ERROR(Close(open));
    return arguments;
  }

  // x [, saturate | wrap] )
  absl::StatusOr<Term> ParseCast(const Token& name, const Token& open,
                                 DType type) {
    ASSIGN_OR_RETURN(const Term x, ParseBinary(0));
    Overflow overflow = Overflow::kUnspecified;
    if (TakeIf(",")) {
      const Token& word = Take();
      if (word.text == "saturate") {
        overflow = Overflow::kSaturate;
      } else if (word.text == "wrap") {
        overflow = Overflow::kWrap;
      } else {
        return Error(word, "expected saturate or wrap");
      }
    }
    RETURN_IF_ERROR(Close(open));
    return terms_.Convert(name.place, x, type, overflow);
  }

  // x, type )
  absl::StatusOr<Term> ParseBitcast(const Token& name, const Token& open) {
    ASSIGN_OR_RETURN(const Term x, ParseBinary(0));
    const bool has_type = TakeIf(",");
    const Token& word = has_type ? Take() : Peek();
    const auto type = ParseDType(word.text);
    if (!has_type || !type) {
      return Error(word,
                   absl::StrCat(name.text, " takes an element type, as in ",
                                name.text, "(x, u32)"));
    }
    RETURN_IF_ERROR(Close(open));
    return terms_.BitcastConvert(name.place, x, *type);
  }

  // x, number ... ) or x, letters )
  absl::StatusOr<Term> ParseView(const Token& name, const Token& open,
                                 Form form) {
    ASSIGN_OR_RETURN(const Term x, ParseBinary(0));
    DimVector numbers;
    if (TakeIf(",")) {
      if (Peek().kind == Token::Kind::kName && form != Form::kReshape) {
        ASSIGN_OR_RETURN(numbers, ParseLetters(x));
      } else {
        do {
          ASSIGN_OR_RETURN(numbers.emplace_back(), ParseInteger());
        } while (TakeIf(","));
      }
    }
    RETURN_IF_ERROR(Close(open));
    switch (form) {
      case Form::kTranspose:
        return terms_.Transpose(name.place, x, numbers);
      case Form::kReverse:
        return terms_.Reverse(name.place, x, numbers);
      default:
        return terms_.Reshape(name.place, x, numbers);
    }
  }

  absl::StatusOr<DimVector> ParseLetters(const Term& x) {
    const Token& word = Take();
    DimVector dimensions;
    for (char letter : word.text) {
      const size_t dimension = x.letters.find(letter);
      if (dimension == std::string::npos) {
        return Error(
            word,
            x.letters.empty()
                ? "the value has no letters; number its "
                  "dimensions"
                : absl::StrCat("\"", absl::string_view(&letter, 1),
                               "\" is none of the dimensions ", x.letters));
      }
      dimensions.push_back(static_cast<int64_t>(dimension));
    }
    return dimensions;
  }

  absl::StatusOr<int64_t> ParseInteger() {
    const bool is_negative = TakeIf("-");
    const Token& token = Take();
    constexpr auto kMax =
        static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (token.kind != Token::Kind::kNumber || token.type ||
        token.number.kind() != Number::Kind::kInteger ||
        token.number.magnitude() > kMax) {
      return Error(token, "expected an integer");
    }
    const auto magnitude = static_cast<int64_t>(token.number.magnitude());
    return is_negative ? -magnitude : magnitude;
  }

  absl::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  const ExpressionOperands& operands_;
  TermBuilder terms_;
};

}  // namespace

absl::StatusOr<ExpressionValue> ParseExpression(
    absl::string_view text, const ExpressionOperands& operands,
    ProgramBuilder& builder) {
  RETURN_IF_ERROR(builder.status());
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expression: ", text.size(), " bytes; the limit is ", kMaxTextBytes));
  }
  ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(text));
  ProgramTransaction transaction(builder);
  ASSIGN_OR_RETURN(const Term term,
                   Parser(text, std::move(tokens), operands, builder).Run());
  transaction.Commit();
  return ExpressionValue{term.value(), term.letters};
}

}  // namespace stridecast
