// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/certificates.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace stridecast::testing {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

const Certificates& Certificates::Get() {
  static const Certificates certificates;
  return certificates;
}

Certificates::Certificates() {
  folder_ = std::filesystem::temp_directory_path() / "stridecast_tls_XXXXXX";
  if (mkdtemp(folder_.data()) == nullptr) return;
  const std::string command =
      std::string("bash ") + STRIDECAST_MAKE_CERTIFICATES + " " + folder_;
  are_made_ = std::system(command.c_str()) == 0;
}

Certificates::~Certificates() {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

std::string Certificates::PemPath(const std::string& name) const {
  return folder_ + "/" + name + ".pem";
}

std::string Certificates::KeyPath(const std::string& name) const {
  return folder_ + "/" + name + ".key";
}

std::string Certificates::Pem(const std::string& name) const {
  return ReadFile(PemPath(name));
}

std::string Certificates::Key(const std::string& name) const {
  return ReadFile(KeyPath(name));
}

}  // namespace stridecast::testing
