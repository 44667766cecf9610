// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Prints the operation reference as a Markdown table: names, numbers, operands
// and attributes from operations.inc, element types from what the engine has
// built, meanings from the comments of program.proto.
// Usage: stridecast_operations program.proto

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "core/engine/engine.h"
#include "stridecast/dtype.h"
#include "stridecast/operation.h"

namespace stridecast {
namespace {

// The comment of each entry of Instruction.Opcode, on one line.
std::map<std::string, std::string> MeaningsIn(std::ifstream& proto) {
  std::map<std::string, std::string> meanings;
  std::string comment;
  bool inside = false;
  for (std::string line; std::getline(proto, line);) {
    absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text == "enum Opcode {") {
      inside = true;
    } else if (!inside) {
      continue;
    } else if (text == "}") {
      break;
    } else if (absl::ConsumePrefix(&text, "//")) {
      absl::StrAppend(&comment, comment.empty() ? "" : " ",
                      std::string(absl::StripLeadingAsciiWhitespace(text)));
    } else {
      if (const size_t end = text.find(" = "); end != absl::string_view::npos) {
        meanings[std::string(text.substr(0, end))] = comment;
      }
      comment.clear();
    }
  }
  return meanings;
}

const char* OperandsOf(Form form) {
  switch (form) {
    case Form::kUnary:
      return "x";
    case Form::kUnaryScalar:
      return "x; `scalars.alpha`";
    case Form::kUnaryScalars:
      return "x; `scalars`";
    case Form::kReducePrecision:
      return "x; `reduce_precision`";
    case Form::kConvert:
    case Form::kBitcastConvert:
      return "x; `convert`";
    case Form::kBinary:
      return "x, y";
    case Form::kBinaryScalars:
      return "x, y; `scalars`";
    case Form::kCompare:
      return "x, y; `compare`";
    case Form::kSelect:
      return "p, x, y";
    case Form::kClamp:
      return "low, x, high";
    case Form::kFma:
      return "x, y, z";
    case Form::kQuantize:
      return "x, scale, zero_point; `quantize`";
    case Form::kDequantize:
      return "q, scale, zero_point; `quantize`";
    case Form::kBroadcastInDim:
      return "x; `broadcast_in_dim`";
    case Form::kTranspose:
    case Form::kReverse:
      return "x; `dimensions`";
    case Form::kSlice:
      return "x; `slice`";
    case Form::kReshape:
      return "x; `reshape`";
    case Form::kConcatenate:
      return "x, ...; `dimensions`";
    case Form::kPad:
      return "x, value; `pad`";
    case Form::kIota:
      return "`iota`";
    case Form::kConstant:
      return "`constant`";
  }
  return "";
}

// Whole classes by their name, others type by type.
std::string TypesOf(const Engine& engine, Opcode opcode) {
  std::string text;
  const auto append = [&](absl::string_view name) {
    absl::StrAppend(&text, text.empty() ? "" : " ", name);
  };
  int num_types = 0;
  for (const auto& [type_class, name] :
       {std::pair(kPredClass, "pred"), std::pair(kSignedClass, "s8–s64"),
        std::pair(kUnsignedClass, "u8–u64"),
        std::pair(kFloatClass, "f16 bf16 f32 f64"),
        std::pair(kComplexClass, "c64 c128")}) {
    std::string some;
    bool all = true;
    for (DType type : kAllDTypes) {
      if (ClassOf(type) != type_class) continue;
      if (engine.Supports(opcode, type)) {
        absl::StrAppend(&some, some.empty() ? "" : " ", DTypeName(type));
        ++num_types;
      } else {
        all = false;
      }
    }
    if (!some.empty()) append(all ? name : some);
  }
  if (num_types == static_cast<int>(std::size(kAllDTypes))) return "all";
  return text.empty() ? "not built" : text;
}

int Main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: stridecast_operations program.proto\n", stderr);
    return 2;
  }
  std::ifstream proto(argv[1]);
  std::map<std::string, std::string> meanings = MeaningsIn(proto);
  auto engine = Engine::Create({});
  if (!engine.ok()) {
    std::fprintf(stderr, "%s\n", engine.status().ToString().c_str());
    return 1;
  }
  std::puts("| operation | number | takes | types | meaning |");
  std::puts("|---|---|---|---|---|");
  for (const Operation& operation : AllOperations()) {
    const auto meaning = meanings.find(std::string(operation.label));
    if (meaning == meanings.end() || meaning->second.empty()) {
      std::fprintf(stderr, "%s: no comment on %s\n", argv[1],
                   std::string(operation.label).c_str());
      return 1;
    }
    std::string text =
        absl::StrReplaceAll(meaning->second, {{"|", "\\|"}, {"*", "\\*"}});
    std::puts(absl::StrCat("| ", operation.label, " | ",
                           static_cast<int>(operation.opcode), " | ",
                           OperandsOf(operation.form), " | ",
                           TypesOf(**engine, operation.opcode), " | ", text,
                           " |")
                  .c_str());
  }
  return 0;
}

}  // namespace
}  // namespace stridecast

int main(int argc, char** argv) { return stridecast::Main(argc, argv); }
