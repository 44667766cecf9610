// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/token_file.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/periodic_thread.h"
#include "server/regular_file.h"
#include "spdlog/spdlog.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// RFC 6750: letters, digits and these, with = at the end.
bool IsToken(absl::string_view text) {
  const size_t end = text.find_last_not_of('=');
  if (end == absl::string_view::npos) return false;
  text = text.substr(0, end + 1);
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::string_view("-._~+/").find(c) != absl::string_view::npos;
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenFile>> TokenFile::Open(
    const std::string& path, std::chrono::seconds refresh) {
  std::unique_ptr<TokenFile> file(new TokenFile(path));
  RETURN_IF_ERROR(file->Refresh());
  file->refresher_ = RunEvery(refresh, [tokens = file.get()] {
    if (const absl::Status read = tokens->Refresh(); !read.ok()) {
      spdlog::error("tokens stay as they were: {}",
                    std::string(read.message()));
    }
  });
  return file;
}

bool TokenFile::Has(absl::string_view token) const {
  const Digest digest = DigestOf(token);
  bool is_one = false;
  absl::MutexLock lock(&mutex_);
  for (const Digest& one : tokens_) {
    is_one |= CRYPTO_memcmp(one.data(), digest.data(), digest.size()) == 0;
  }
  return is_one;
}

absl::Status TokenFile::Refresh() {
  absl::Status read = Read();
  is_stale_ = !read.ok();
  return read;
}

absl::Status TokenFile::Read() {
  const std::optional<std::string> text = ReadRegularFile(path_);
  if (!text.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", path_, "\" cannot be read"));
  }
  const Digest digest = DigestOf(*text);
  absl::MutexLock lock(&mutex_);
  if (!tokens_.empty() && digest == text_) return absl::OkStatus();
  absl::StatusOr<std::vector<Digest>> tokens = Parse(*text);
  if (!tokens.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", path_, "\": ", tokens.status().message()));
  }
  if (!tokens_.empty()) {
    spdlog::info("\"{}\" changed: {} tokens", path_, tokens->size());
  }
  tokens_ = *std::move(tokens);
  text_ = digest;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<TokenFile::Digest>> TokenFile::Parse(
    absl::string_view text) {
  std::vector<Digest> tokens;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++line_number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    if (!IsToken(line)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", line_number,
          " is no token: letters, digits and -._~+/, then perhaps ="));
    }
    tokens.push_back(DigestOf(line));
  }
  if (tokens.empty()) return absl::InvalidArgumentError("has no token");
  return tokens;
}

TokenFile::Digest TokenFile::DigestOf(absl::string_view text) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         digest.data());
  return digest;
}

}  // namespace stridecast
