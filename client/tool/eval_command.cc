// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast eval: a program on files; stridecast explain: its plan.

#include <iostream>
#include <memory>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/tool/command.h"
#include "client/tool/program_file.h"
#include "client/tool/progress.h"
#include "client/tool/report.h"
#include "client/tool/tensor_argument.h"
#include "client/tool/tensor_text.h"
#include "nlohmann/json.hpp"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

struct ProgramFlags {
  std::string program;
  std::vector<std::string> operands;
  OutputFlags output;
};

void AddProgramFlags(CLI::App& command, ProgramFlags& program) {
  command
      .add_option("-p,--program", program.program,
                  "A stridecast.v1.ComputeSpec in JSON; '-': standard input")
      ->required()
      ->type_name("FILE");
  command
      .add_option("operands", program.operands,
                  "The operands in order, or NUMBER=TENSOR; see below")
      ->type_name("TENSOR");
}

absl::Status Eval(const CommonFlags& flags, const ProgramFlags& program_flags) {
  RETURN_IF_ERROR(CheckOutputs(program_flags.output));
  ASSIGN_OR_RETURN(const LoadedProgram program,
                   LoadProgram(program_flags.program, program_flags.operands));
  CallReport report;
  int64_t operand_bytes = 0;
  std::vector<TensorView> operands;
  for (const LoadedTensor& operand : program.operands) {
    operands.push_back(operand.view());
    report.operands.push_back(operand.desc);
    operand_bytes += operand.desc.size_bytes();
  }
  const Client client = flags.Connect();
  Progress progress(TerminalForProgress(), flags.server, operand_bytes);
  const absl::Time start = absl::Now();
  const auto results = client.Compute(program.signature, operands);
  report.elapsed = absl::Now() - start;
  progress.End();
  if (!results.ok()) return FromServer(flags, results.status());
  for (const OwnedTensor& result : *results) {
    report.results.push_back(result.view());
  }
  return Deliver(flags, program_flags.output, report);
}

nlohmann::ordered_json ToJson(const std::vector<ExplainedTensor>& tensors) {
  auto json = nlohmann::ordered_json::array();
  for (const ExplainedTensor& tensor : tensors) {
    nlohmann::ordered_json entry = DescToJson(tensor.desc);
    entry["streamed"] = tensor.is_streamed;
    json.push_back(std::move(entry));
  }
  return json;
}

void Print(const char* role, const std::vector<ExplainedTensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::cout << role << " " << i << "  " << DescToText(tensors[i].desc) << "  "
              << tensors[i].desc.size_bytes() << " bytes"
              << (tensors[i].is_streamed ? "  streamed\n" : "\n");
  }
}

absl::Status Explain(const CommonFlags& flags,
                     const ProgramFlags& program_flags) {
  ASSIGN_OR_RETURN(const LoadedProgram program,
                   LoadProgram(program_flags.program, program_flags.operands));
  const auto plan = flags.Connect().Explain(program.signature);
  if (!plan.ok()) return FromServer(flags, plan.status());
  if (flags.PrintsJson()) {
    nlohmann::ordered_json json;
    json["operands"] = ToJson(plan->operands);
    json["results"] = ToJson(plan->results);
    json["scratch_bytes"] = plan->scratch_bytes;
    json["admitted_bytes"] = plan->admitted_bytes;
    json["text"] = plan->text;
    std::cout << json.dump() << "\n";
    return absl::OkStatus();
  }
  Print("operand", plan->operands);
  Print("result", plan->results);
  std::cout << "scratch " << plan->scratch_bytes << " bytes, admitted "
            << plan->admitted_bytes << " bytes\n"
            << plan->text;
  if (plan->text.empty() || plan->text.back() != '\n') std::cout << "\n";
  return absl::OkStatus();
}

}  // namespace

void AddEvalCommand(CLI::App& app, const CommonFlags& flags,
                    absl::Status& outcome) {
  CLI::App* command =
      app.add_subcommand("eval", "Compute a program on tensors from files");
  auto program = std::make_shared<ProgramFlags>();
  AddProgramFlags(*command, *program);
  AddOutputFlags(*command, program->output, true);
  command->footer(absl::StrCat(
      kTensorHelp,
      "Example: rows plus a vector, with add.json holding\n"
      "  {\"instructions\": [{\"opcode\": \"ADD\", \"operands\": [0, 1],\n"
      "                     \"broadcastDimensions\": [1]}],\n"
      "   \"results\": [{}]}\n"
      "  stridecast eval -p add.json matrix.npy vector.npy -o sum.npy\n"
      "  stridecast eval -p add.json 'f32[2,3] 1 2 3 4 5 6' 7,8,9"));
  command->callback(
      [&flags, &outcome, program] { outcome = Eval(flags, *program); });
}

void AddExplainCommand(CLI::App& app, const CommonFlags& flags,
                       absl::Status& outcome) {
  CLI::App* command = app.add_subcommand(
      "explain", "Show how the server would compute a program");
  auto program = std::make_shared<ProgramFlags>();
  AddProgramFlags(*command, *program);
  command->footer(
      "Files are needed only where the program does not describe operands.\n"
      "Example: stridecast explain -p add.json matrix.npy vector.npy");
  command->callback(
      [&flags, &outcome, program] { outcome = Explain(flags, *program); });
}

}  // namespace stridecast
