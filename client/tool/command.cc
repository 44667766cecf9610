// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/command.h"

#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/tool/tensor_file.h"
#include "client/tool/tensor_text.h"
#include "nlohmann/json.hpp"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

bool IsStandardOutput(const std::string& path) {
  return path.empty() || path == "-";
}

std::string PathOf(const CallReport& report, size_t result) {
  return result < report.output_paths.size() ? report.output_paths[result]
                                             : std::string();
}

int64_t PayloadBytes(const CallReport& report) {
  int64_t bytes = 0;
  for (const TensorDesc& operand : report.operands) {
    bytes += operand.size_bytes();
  }
  for (const TensorView& result : report.results) {
    bytes += result.desc.size_bytes();
  }
  return bytes;
}

double MegabytesPerSecond(const CallReport& report) {
  return static_cast<double>(PayloadBytes(report)) / 1e6 /
         absl::ToDoubleSeconds(report.elapsed);
}

void PrintText(const CallReport& report) {
  for (size_t i = 0; i < report.operands.size(); ++i) {
    const TensorDesc& desc = report.operands[i];
    std::cout << "operand " << i << "  " << DescToText(desc) << "  "
              << desc.size_bytes() << " bytes\n";
  }
  for (size_t i = 0; i < report.results.size(); ++i) {
    const TensorView& result = report.results[i];
    const std::string path = PathOf(report, i);
    std::cout << "result " << i << "  " << DescToText(result.desc) << "  "
              << result.desc.size_bytes() << " bytes";
    if (IsStandardOutput(path)) {
      std::cout << "\n" << TensorToText(result) << "\n";
    } else {
      std::cout << "  " << path << "\n";
    }
  }
  std::cout << absl::StrFormat("%.3f ms with connecting, %.4g MB/s\n",
                               absl::ToDoubleMilliseconds(report.elapsed),
                               MegabytesPerSecond(report));
}

void PrintJson(const CallReport& report) {
  nlohmann::ordered_json json;
  json["operands"] = nlohmann::ordered_json::array();
  for (const TensorDesc& operand : report.operands) {
    json["operands"].push_back(DescToJson(operand));
  }
  json["results"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < report.results.size(); ++i) {
    const TensorView& result = report.results[i];
    nlohmann::ordered_json entry = DescToJson(result.desc);
    const std::string path = PathOf(report, i);
    if (IsStandardOutput(path)) {
      entry["values"] = ElementsToJson(result);
    } else {
      entry["file"] = path;
    }
    json["results"].push_back(std::move(entry));
  }
  json["milliseconds"] = absl::ToDoubleMilliseconds(report.elapsed);
  json["megabytes_per_second"] = MegabytesPerSecond(report);
  std::cout << json.dump() << "\n";
}

}  // namespace

Client CommonFlags::Connect() const {
  ClientOptions options;
  if (timeout_seconds) options.timeout = absl::Seconds(*timeout_seconds);
  return Client::Connect(server, options);
}

absl::Status FromServer(const CommonFlags& flags, const absl::Status& status) {
  return PrefixField(
      absl::StrCat(flags.server, ": ", absl::StatusCodeToString(status.code()),
                   ": "),
      status);
}

absl::Status Deliver(const CallReport& report, bool as_json) {
  if (report.output_paths.size() > report.results.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(report.output_paths.size(), " outputs for ",
                     report.results.size(), " results"));
  }
  for (size_t i = 0; i < report.results.size(); ++i) {
    const std::string path = PathOf(report, i);
    if (IsStandardOutput(path)) continue;
    RETURN_IF_ERROR(WriteTensorFile(path, report.results[i]));
  }
  if (as_json) {
    PrintJson(report);
  } else {
    PrintText(report);
  }
  return absl::OkStatus();
}

}  // namespace stridecast
