// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/regular_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace stridecast {

std::optional<std::string> ReadRegularFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path);
  if (!file.is_open()) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace stridecast
