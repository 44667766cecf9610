// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast eval: an expression or a program on tensors; stridecast explain:
// its plan.

#include <iostream>
#include <memory>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "client/tool/command.h"
#include "client/tool/command_help.h"
#include "client/tool/compute_call.h"
#include "client/tool/expression_program.h"
#include "client/tool/layout_flags.h"
#include "client/tool/program_file.h"
#include "client/tool/report.h"
#include "client/tool/tensor_argument.h"
#include "client/tool/tensor_text.h"
#include "client/tool/usage_error.h"
#include "nlohmann/json.hpp"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

struct ProgramFlags {
  std::string program;
  // With a program its operands; without one, the expression comes first.
  std::vector<std::string> arguments;
  LayoutFlags layout;
  OutputFlags output;
};

constexpr char kExpressionHelp[] =
    "EXPRESSION has Python's operators: + - * / // % **, comparisons, & | ^ ~\n"
    "(of integers / goes toward zero; % has the sign of the left, and\n"
    "floor_mod(x, y) that of the right),\n"
    "where(p, x, y), sqrt(x), max(x, y), f32(x), transpose(x, NCHW) ...; "
    "names\n"
    "are those of the operands, NAME=TENSOR or NAME=TENSOR@LETTERS, whose "
    "letters\n"
    "(of a picture HWC) say which dimensions belong together. Types are never\n"
    "converted unasked. An operand that is not used is an error: it is mostly\n"
    "a slip. An expression that looks like a flag (-p) stands behind --.\n";

// CLI11 would name both kinds of arguments alike.
class ProgramFormatter : public CommandHelp {
 public:
  std::string make_usage(const CLI::App*, std::string name) const override {
    return absl::StrCat("Usage: ", name,
                        " [OPTIONS] EXPRESSION NAME=TENSOR[@LETTERS] ...\n"
                        "       ",
                        name, " [OPTIONS] --program FILE [TENSOR ...]\n");
  }
};

void AddProgramFlags(CLI::App& command, ProgramFlags& program) {
  command.formatter(std::make_shared<ProgramFormatter>());
  program.layout.advice = "operands give them, as in x=TENSOR@HW";
  command
      .add_option("-p,--program", program.program,
                  "A stridecast.v1.ComputeSpec in JSON, instead of an "
                  "expression; '-': standard input")
      ->type_name("FILE");
  command
      .add_option("arguments", program.arguments,
                  "EXPRESSION NAME=TENSOR ...; with --program TENSOR or "
                  "NUMBER=TENSOR ..., in order")
      ->type_name("TENSOR");
  command
      .add_option("--result-layout", program.layout.order,
                  "Of an expression's result: row-major, column-major, "
                  "minor_to_major as in {0,1}, or letters as in NCHW; N where "
                  "there is none makes a batch of one")
      ->type_name("LAYOUT");
}

absl::StatusOr<LoadedProgram> Load(const ProgramFlags& flags, TensorPart part) {
  if (flags.program.empty()) {
    if (flags.arguments.empty()) {
      return UsageError("an expression is required, or --program FILE");
    }
    return LoadExpression(flags.arguments[0],
                          {flags.arguments.begin() + 1, flags.arguments.end()},
                          flags.layout, part);
  }
  if (!flags.layout.order.empty()) {
    return UsageError(
        "--result-layout goes with an expression; a program states its own");
  }
  return LoadProgram(flags.program, flags.arguments, part);
}

absl::Status Eval(const CommonFlags& flags, const ProgramFlags& program_flags) {
  RETURN_IF_ERROR(CheckOutputs(program_flags.output));
  ASSIGN_OR_RETURN(const LoadedProgram program,
                   Load(program_flags, TensorPart::kAll));
  return CallCompute(flags, program_flags.output, program.signature,
                     program.operands);
}

nlohmann::ordered_json ToJson(const std::vector<ExplainedTensor>& tensors) {
  auto json = nlohmann::ordered_json::array();
  for (const ExplainedTensor& tensor : tensors) {
    nlohmann::ordered_json entry = DescToJson(tensor.desc);
    entry["streamed"] = tensor.is_streamed;
    if (tensor.stream_end > 0) {
      entry["stream_begin"] = tensor.stream_begin;
      entry["stream_end"] = tensor.stream_end;
    }
    json.push_back(std::move(entry));
  }
  return json;
}

void Print(const char* role, const std::vector<ExplainedTensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::cout << role << " " << i << "  " << DescToText(tensors[i].desc) << "  "
              << tensors[i].desc.size_bytes() << " bytes"
              << (tensors[i].is_streamed ? "  streamed" : "");
    if (tensors[i].stream_end > 0) {
      std::cout << ", bytes " << tensors[i].stream_begin << " to "
                << tensors[i].stream_end;
    }
    std::cout << "\n";
  }
}

absl::Status Explain(const CommonFlags& flags,
                     const ProgramFlags& program_flags) {
  ASSIGN_OR_RETURN(const LoadedProgram program,
                   Load(program_flags, TensorPart::kDescription));
  ASSIGN_OR_RETURN(const Client client, flags.Connect());
  const auto plan = client.Explain(program.signature);
  if (!plan.ok()) return FromServer(flags, plan.status());
  if (flags.PrintsJson()) {
    nlohmann::ordered_json json;
    json["operands"] = ToJson(plan->operands);
    json["results"] = ToJson(plan->results);
    json["scratch_bytes"] = plan->scratch_bytes;
    json["admitted_bytes"] = plan->admitted_bytes;
    json["stream_memory_bytes"] = plan->stream_memory_bytes;
    json["max_chunk_bytes"] = plan->max_chunk_bytes;
    json["text"] = plan->text;
    std::cout << json.dump() << "\n";
    return absl::OkStatus();
  }
  Print("operand", plan->operands);
  Print("result", plan->results);
  std::cout << "scratch " << plan->scratch_bytes << " bytes, admitted "
            << plan->admitted_bytes << " bytes\n"
            << "as a stream " << plan->stream_memory_bytes
            << " bytes, in chunks of at most " << plan->max_chunk_bytes << "\n"
            << plan->text;
  if (plan->text.empty() || plan->text.back() != '\n') std::cout << "\n";
  return absl::OkStatus();
}

}  // namespace

void AddEvalCommand(CLI::App& app, const CommonFlags& flags,
                    absl::Status& outcome) {
  CLI::App* command = app.add_subcommand(
      "eval", "Compute an expression or a program on tensors");
  auto program = std::make_shared<ProgramFlags>();
  AddProgramFlags(*command, *program);
  AddOutputFlags(*command, program->output, true);
  command->footer(absl::StrCat(
      kExpressionHelp, kTensorHelp,
      "Examples:\n"
      "  stridecast eval 'sqrt(x*x + y*y)' x=3 y=4\n"
      "  stridecast eval 'transpose((f32(x)/255 - mean)/std, CHW)' x=photo.png "
      "\\\n"
      "    mean=0.485,0.456,0.406@C std=0.229,0.224,0.225@C -o input.npy\n"
      "  stridecast eval 'x + v' x='f32[2,3] 1 2 3 4 5 6' v=7,8,9\n"
      "  stridecast eval -p add.json matrix.npy vector.npy -o sum.npy"));
  command->callback(
      [&flags, &outcome, program] { outcome = Eval(flags, *program); });
}

void AddExplainCommand(CLI::App& app, const CommonFlags& flags,
                       absl::Status& outcome) {
  CLI::App* command = app.add_subcommand(
      "explain", "Show how the server would compute a program");
  auto program = std::make_shared<ProgramFlags>();
  AddProgramFlags(*command, *program);
  command->footer(absl::StrCat(
      kExpressionHelp,
      "Of files only the headers are read; a shape may stand for a tensor. "
      "With\n"
      "--program operands are needed only where it does not describe them.\n"
      "Examples:\n"
      "  stridecast explain 'x + 1' x='f32[1000,1000]{0,1}'\n"
      "  stridecast explain 'f32(x)/255' x=photo.png\n"
      "  stridecast explain -p add.json matrix.npy vector.npy"));
  command->callback(
      [&flags, &outcome, program] { outcome = Explain(flags, *program); });
}

}  // namespace stridecast
