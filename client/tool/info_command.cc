// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast info: what the server is and can do.

#include <iostream>

#include "CLI/CLI.hpp"
#include "absl/strings/str_join.h"
#include "client/tool/command.h"
#include "nlohmann/json.hpp"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

std::vector<std::string> Names(const std::vector<DType>& types) {
  std::vector<std::string> names;
  for (DType type : types) names.emplace_back(DTypeName(type));
  return names;
}

void PrintJson(const ServerInfo& info) {
  nlohmann::ordered_json json;
  json["version"] = info.version;
  json["simd_target"] = info.simd_target;
  json["limits"] = info.limits;
  json["operations"] = nlohmann::ordered_json::object();
  for (const ServerInfo::Support& row : info.operations) {
    json["operations"][row.operation] = Names(row.types);
  }
  json["features"] = info.features;
  std::cout << json.dump() << "\n";
}

void PrintText(const ServerInfo& info) {
  std::cout << "version      " << info.version << "\n"
            << "simd target  " << info.simd_target << "\n"
            << "features     " << absl::StrJoin(info.features, " ")
            << "\n\nlimits\n";
  for (const auto& [name, limit] : info.limits) {
    std::cout << "  " << name << " " << limit << "\n";
  }
  std::cout << "\noperations\n";
  for (const ServerInfo::Support& row : info.operations) {
    std::cout << "  " << row.operation << "  "
              << absl::StrJoin(Names(row.types), " ") << "\n";
  }
}

absl::Status Info(const CommonFlags& flags) {
  ASSIGN_OR_RETURN(const Client client, flags.Connect());
  const auto info = client.GetServerInfo();
  if (!info.ok()) return FromServer(flags, info.status());
  if (flags.PrintsJson()) {
    PrintJson(*info);
  } else {
    PrintText(*info);
  }
  return absl::OkStatus();
}

}  // namespace

void AddInfoCommand(CLI::App& app, const CommonFlags& flags,
                    absl::Status& outcome) {
  CLI::App* command = app.add_subcommand(
      "info", "Show the server's version, limits and operations");
  command->footer("Example: stridecast info --server 127.0.0.1:50051");
  command->callback([&flags, &outcome] { outcome = Info(flags); });
}

}  // namespace stridecast
