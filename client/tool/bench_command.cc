// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast bench: how a server and the way to it answer a load of one kind
// of call. Payloads are an f32 matrix [rows, columns] as near to a square as it
// gets; the first answer of each caller is checked element by element.

#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/tool/command.h"
#include "client/tool/flag_values.h"
#include "client/tool/load.h"
#include "client/tool/tensor_text.h"
#include "nlohmann/json.hpp"
#include "stridecast/program.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

struct BenchFlags {
  std::string operation = "add";
  uint64_t size_bytes = uint64_t{4} << 20;
  int concurrency = 8;
  int connections = 1;
  double duration_seconds = 5;
  double warm_up_seconds = 1;
  std::optional<int64_t> count;
};

// What a message of gRPC can hold.
constexpr int64_t kMaxSizeBytes = int64_t{4} << 30;

constexpr double kPercentiles[] = {50, 90, 99, 99.9};

// What every caller asks, and the answer.
struct Question {
  Signature signature;
  OwnedTensor operand;
  TensorDesc result;
  float addend;  // the answer is the operand, that much greater
};

absl::StatusOr<Question> MakeQuestion(const BenchFlags& flags) {
  const auto elements =
      std::max(int64_t{1}, static_cast<int64_t>(flags.size_bytes / 4));
  const auto rows = static_cast<int64_t>(std::sqrt(elements));
  ASSIGN_OR_RETURN(const TensorDesc desc,
                   TensorDesc::Create(DType::kF32, {rows, elements / rows}));
  ASSIGN_OR_RETURN(OwnedTensor operand, OwnedTensor::Allocate(desc));
  // Whole numbers, exact also with 1 added.
  for (size_t i = 0; float& x : operand.slots<float>()) {
    x = static_cast<float>(i++ % 1000);
  }
  PhysicalForm form;
  if (flags.operation == "relayout") {
    form = DimensionOrder{ColumnMajorOrder(2), {}, {}};
  }
  ASSIGN_OR_RETURN(const TensorDesc result,
                   TensorDesc::Create(DType::kF32, desc.shape(), form));
  const float addend = flags.operation == "add" ? 1.0f : 0.0f;
  ProgramBuilder b;
  const Value x = b.Parameter(desc);
  b.Result(
      flags.operation == "add" ? b.Add(x, b.Constant(addend)) : b.Identity(x),
      form);
  return Question{*b.Build(), std::move(operand), result, addend};
}

absl::Status CheckAnswer(const Question& question, const OwnedTensor& answer) {
  const auto extents = question.result.shape().extents();
  for (int64_t i = 0; i < extents[0]; ++i) {
    for (int64_t j = 0; j < extents[1]; ++j) {
      const float wanted = question.operand.at<float>({i, j}) + question.addend;
      const float got = answer.at<float>({i, j});
      if (got == wanted) continue;
      return absl::DataLossError(absl::StrCat("wrong answer: element [", i, ",",
                                              j, "] is ", got, ", not ",
                                              wanted));
    }
  }
  return absl::OkStatus();
}

ClientOptions OptionsOf(const CommonFlags& flags, int max_attempts) {
  ClientOptions options;
  options.max_attempts = max_attempts;
  if (flags.timeout_seconds) {
    options.timeout = absl::Seconds(*flags.timeout_seconds);
  }
  return options;
}

struct Caller {
  Client client;
  OwnedTensor answer;
};

absl::Status Ask(const Client& client, const Question& question,
                 OwnedTensor& answer) {
  return client.ComputeInto(question.signature, {question.operand.view()},
                            {answer.mutable_view()});
}

absl::StatusOr<std::vector<Caller>> MakeCallers(const CommonFlags& common,
                                                const BenchFlags& flags,
                                                const Question& question) {
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  for (int i = 0; i < flags.connections; ++i) {
    ASSIGN_OR_RETURN(channels.emplace_back(),
                     common.OpenChannel(/*own_connections=*/true));
  }
  std::vector<Caller> callers;
  for (int i = 0; i < flags.concurrency; ++i) {
    ASSIGN_OR_RETURN(OwnedTensor answer,
                     OwnedTensor::Allocate(question.result));
    const auto& channel = channels[static_cast<size_t>(i % flags.connections)];
    const absl::Status first =
        Ask(Client(channel, OptionsOf(common, 3)), question, answer);
    // Repeated calls would hide errors.
    callers.push_back(
        {Client(channel, OptionsOf(common, 1)), std::move(answer)});
    if (!first.ok()) return FromServer(common, first);
    RETURN_IF_ERROR(CheckAnswer(question, callers.back().answer));
  }
  return callers;
}

struct Rates {
  double calls_per_second = 0;
  double megabytes_per_second = 0;  // operands and results
};

Rates RatesOf(const Question& question, const LoadResult& load) {
  const double seconds = absl::ToDoubleSeconds(load.elapsed);
  if (seconds <= 0) return {};
  const double calls = static_cast<double>(load.latencies.count()) / seconds;
  const auto bytes = static_cast<double>(question.operand.desc().size_bytes() +
                                         question.result.size_bytes());
  return {calls, calls * bytes / 1e6};
}

void PrintText(const BenchFlags& flags, const Question& question,
               const LoadResult& load) {
  const Rates rates = RatesOf(question, load);
  std::cout << flags.operation << "  " << DescToText(question.operand.desc())
            << " -> " << DescToText(question.result) << ", "
            << flags.concurrency << " callers on " << flags.connections
            << " connections, "
            << absl::StrFormat("%.1f s\n", absl::ToDoubleSeconds(load.elapsed))
            << absl::StrFormat("calls     %d, %.1f/s, %.4g MB/s\n",
                               load.latencies.count(), rates.calls_per_second,
                               rates.megabytes_per_second)
            << "latency  ";
  for (double percent : kPercentiles) {
    std::cout << absl::StrFormat(
        " p%g %.3f ms,", percent,
        absl::ToDoubleMilliseconds(load.latencies.Percentile(percent)));
  }
  std::cout << absl::StrFormat(" max %.3f ms\n",
                               absl::ToDoubleMilliseconds(load.latencies.max()))
            << "errors    "
            << (load.errors.empty() ? "none"
                                    : absl::StrJoin(load.errors, ", ",
                                                    absl::PairFormatter(" ")))
            << "\n";
}

void PrintJson(const BenchFlags& flags, const Question& question,
               const LoadResult& load) {
  const Rates rates = RatesOf(question, load);
  nlohmann::ordered_json json;
  json["operation"] = flags.operation;
  json["operand"] = DescToJson(question.operand.desc());
  json["result"] = DescToJson(question.result);
  json["concurrency"] = flags.concurrency;
  json["connections"] = flags.connections;
  json["seconds"] = absl::ToDoubleSeconds(load.elapsed);
  json["calls"] = load.latencies.count();
  json["calls_per_second"] = rates.calls_per_second;
  json["megabytes_per_second"] = rates.megabytes_per_second;
  for (double percent : kPercentiles) {
    json["latency_ms"][absl::StrCat("p", percent)] =
        absl::ToDoubleMilliseconds(load.latencies.Percentile(percent));
  }
  json["latency_ms"]["max"] = absl::ToDoubleMilliseconds(load.latencies.max());
  json["errors"] = nlohmann::ordered_json::object();
  for (const auto& [code, count] : load.errors) json["errors"][code] = count;
  std::cout << json.dump() << "\n";
}

absl::Status Bench(const CommonFlags& common, const BenchFlags& flags) {
  ASSIGN_OR_RETURN(const Question question, MakeQuestion(flags));
  ASSIGN_OR_RETURN(std::vector<Caller> callers,
                   MakeCallers(common, flags, question));
  const LoadOptions options = {
      flags.concurrency, absl::Seconds(flags.warm_up_seconds),
      absl::Seconds(flags.duration_seconds), flags.count};
  const auto ran = RunLoad(options, [&question, &callers](int caller) {
    return Ask(callers[static_cast<size_t>(caller)].client, question,
               callers[static_cast<size_t>(caller)].answer);
  });
  if (!ran.ok()) {
    return absl::Status(
        ran.status().code(),
        absl::StrCat("--concurrency: ", ran.status().message()));
  }
  const LoadResult& load = *ran;
  if (common.PrintsJson()) {
    PrintJson(flags, question, load);
  } else {
    PrintText(flags, question, load);
  }
  if (load.errors.empty()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      common.server, ": ", load.num_errors(), " of ",
      load.num_errors() + load.latencies.count(), " calls failed"));
}

void AddFlags(CLI::App& command, BenchFlags& flags) {
  command.add_option("--op", flags.operation, "What each call asks for")
      ->check(CLI::IsMember({"add", "identity", "relayout"}))
      ->capture_default_str();
  command
      .add_option("--size", flags.size_bytes,
                  "Bytes of the operand, as in 64kb or 4mb [4mb]")
      ->transform(ByteSize(4, kMaxSizeBytes))
      ->type_name("BYTES");
  command
      .add_option("-c,--concurrency", flags.concurrency,
                  "Callers, each with one call at a time")
      ->check(Whole(1, 4096))
      ->capture_default_str();
  command
      .add_option("--connections", flags.connections,
                  "Connections that they share")
      ->check(Whole(1, 1024))
      ->capture_default_str();
  command
      .add_option("-d,--duration", flags.duration_seconds,
                  "After which no call begins")
      ->check(Seconds())
      ->type_name("SECONDS")
      ->capture_default_str();
  command
      .add_option("-n,--count", flags.count, "Calls to make, if that is sooner")
      ->check(Whole(1, std::numeric_limits<int64_t>::max()));
  command
      .add_option("--warm-up", flags.warm_up_seconds,
                  "Before any call is counted")
      ->check(SecondsOrNone())
      ->type_name("SECONDS")
      ->capture_default_str();
}

}  // namespace

void AddBenchCommand(CLI::App& app, const CommonFlags& flags,
                     absl::Status& outcome) {
  CLI::App* command = app.add_subcommand(
      "bench", "Load the server for some seconds and measure");
  auto bench = std::make_shared<BenchFlags>();
  AddFlags(*command, *bench);
  command->footer(
      "add is x + 1, relayout row-major to column-major, of f32. MB/s counts\n"
      "operands and results. Exits with 1 if any call failed.\n"
      "Examples:\n"
      "  stridecast bench --size 1mb --concurrency 16\n"
      "  stridecast bench --op relayout --count 1000 --json");
  command->callback(
      [&flags, &outcome, bench] { outcome = Bench(flags, *bench); });
}

}  // namespace stridecast
