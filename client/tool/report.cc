// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/report.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/tool/file_bytes.h"
#include "client/tool/tensor_text.h"
#include "client/tool/usage_error.h"
#include "nlohmann/json.hpp"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// At some 30 bytes of memory for each.
constexpr int64_t kMaxJsonElements = int64_t{1} << 24;

double MegabytesPerSecond(const CallReport& report) {
  int64_t bytes = 0;
  for (const TensorDesc& operand : report.operands) {
    bytes += operand.size_bytes();
  }
  for (const ReportedResult& result : report.results) {
    bytes += result.view.desc.size_bytes();
  }
  return static_cast<double>(bytes) / 1e6 /
         absl::ToDoubleSeconds(*report.elapsed);
}

void PrintText(const OutputFlags& output, const CallReport& report) {
  for (size_t i = 0; i < report.operands.size(); ++i) {
    const TensorDesc& desc = report.operands[i];
    std::cout << "operand " << i << "  " << DescToText(desc) << "  "
              << desc.size_bytes() << " bytes\n";
  }
  for (size_t i = 0; i < report.results.size(); ++i) {
    const TensorView& result = report.results[i].view;
    const std::string path = PathOf(output, i);
    std::cout << "result " << i << "  " << DescToText(result.desc) << "  "
              << result.desc.size_bytes() << " bytes";
    if (path.empty()) {
      std::cout << "\n" << TensorToText(result) << "\n";
    } else {
      std::cout << "  " << path << "\n";
    }
  }
  if (report.elapsed) {
    std::cout << absl::StrFormat("%.3f ms with connecting, %.4g MB/s\n",
                                 absl::ToDoubleMilliseconds(*report.elapsed),
                                 MegabytesPerSecond(report));
  }
}

void PrintJson(const OutputFlags& output, const CallReport& report) {
  nlohmann::ordered_json json;
  json["operands"] = nlohmann::ordered_json::array();
  for (const TensorDesc& operand : report.operands) {
    json["operands"].push_back(DescToJson(operand));
  }
  json["results"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < report.results.size(); ++i) {
    const TensorView& result = report.results[i].view;
    nlohmann::ordered_json entry = DescToJson(result.desc);
    const std::string path = PathOf(output, i);
    if (path.empty()) {
      entry["values"] = ElementsToJson(result);
    } else {
      entry["file"] = path;
    }
    json["results"].push_back(std::move(entry));
  }
  if (report.elapsed) {
    json["milliseconds"] = absl::ToDoubleMilliseconds(*report.elapsed);
    json["megabytes_per_second"] = MegabytesPerSecond(report);
  }
  std::cout << json.dump() << "\n";
}

// The name without symbolic links, "." and ".."; of what is not there, too.
std::string Resolved(const std::string& path) {
  std::error_code ignored;
  const auto resolved = std::filesystem::weakly_canonical(path, ignored);
  if (resolved.empty()) return path;
  return std::filesystem::absolute(resolved, ignored).string();
}

absl::Status CheckDistinct(const OutputFlags& output) {
  std::set<std::string> files;
  for (const std::string& path : output.paths) {
    if (path == "-" || absl::StartsWith(path, "/dev/")) continue;
    if (files.insert(Resolved(path)).second) continue;
    return UsageError(absl::StrCat("-o ", path, ": given for two results"));
  }
  return absl::OkStatus();
}

bool UsesPipe(const OutputFlags& output) {
  return std::count(output.paths.begin(), output.paths.end(), "-") > 0;
}

}  // namespace

void AddOutputFlags(CLI::App& command, OutputFlags& output, bool many) {
  CLI::Option* paths = command.add_option(
      "-o,--output", output.paths,
      absl::StrCat(many ? "One per result: " : "",
                   "a .npy, .png, .ppm, .pgm or .raw file; '-': standard "
                   "output, .npy unless --format; none: values are printed"));
  paths->type_name("FILE")->allow_extra_args(false);
  if (!many) paths->expected(1);
  command
      .add_option("--format", output.format,
                  "Of outputs, whatever their names end in")
      ->check(CLI::IsMember({"npy", "png", "pnm", "raw"}));
}

absl::Status CheckOutputs(const OutputFlags& output) {
  for (const std::string& path : output.paths) {
    if (path.empty()) return UsageError("-o: the name of a file is empty");
  }
  RETURN_IF_ERROR(CheckOnePipe(output.paths, "standard output"));
  if (UsesPipe(output) && isatty(STDOUT_FILENO) == 1) {
    return UsageError(
        "-o -: standard output is a terminal; name a file, pipe the output "
        "on, or leave -o out to print values");
  }
  RETURN_IF_ERROR(CheckDistinct(output));
  if (!output.format.empty()) return absl::OkStatus();
  for (const std::string& path : output.paths) {
    const auto format = FormatOfName(path);
    if (!format.ok()) return AsUsageError(format.status());
  }
  return absl::OkStatus();
}

absl::Status CheckOutputCount(const OutputFlags& output, size_t num_results) {
  if (output.paths.size() <= num_results) return absl::OkStatus();
  return UsageError(absl::StrCat("-o: ", output.paths.size(), " outputs for ",
                                 num_results, " results"));
}

absl::Status CheckPrintable(const CommonFlags& flags,
                            const TensorDesc& result) {
  if (!flags.PrintsJson() || result.num_elements() <= kMaxJsonElements) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      "the result ", result.ToString(), " has ", result.num_elements(),
      " elements; at most ", kMaxJsonElements,
      " are printed as JSON: -o FILE takes them all"));
}

std::string PathOf(const OutputFlags& output, size_t result) {
  return result < output.paths.size() ? output.paths[result] : std::string();
}

FileFormat FormatOf(const OutputFlags& output, const std::string& path) {
  const auto format = ParseFileFormat(output.format);
  return format ? *format : *FormatOfName(path);
}

absl::Status Deliver(const CommonFlags& flags, const OutputFlags& output,
                     CallReport report) {
  RETURN_IF_ERROR(CheckOutputCount(output, report.results.size()));
  for (size_t i = 0; i < output.paths.size(); ++i) {
    const std::string& path = output.paths[i];
    ReportedResult& result = report.results[i];
    if (result.file) continue;
    ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
    RETURN_IF_ERROR(
        WriteTensor(file, path, result.view, FormatOf(output, path)));
    result.file.emplace(std::move(file));
  }
  for (size_t i = 0; i < output.paths.size(); ++i) {
    RETURN_IF_ERROR(report.results[i].file->Commit());
  }
  if (UsesPipe(output)) return absl::OkStatus();
  for (size_t i = output.paths.size(); i < report.results.size(); ++i) {
    RETURN_IF_ERROR(CheckPrintable(flags, report.results[i].view.desc));
  }
  if (flags.PrintsJson()) {
    PrintJson(output, report);
  } else {
    PrintText(output, report);
  }
  return absl::OkStatus();
}

}  // namespace stridecast
