// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Bearer tokens (RFC 6750) that callers may have: a file with one on each line,
// so that a new one can be valid beside an old one while it is replaced. Empty
// lines, and those that begin with #, are none. The file is read again when its
// text changes; a text that is no list of tokens leaves those of before.

#ifndef STRIDECAST_SERVER_TOKEN_FILE_H_
#define STRIDECAST_SERVER_TOKEN_FILE_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace stridecast {

// Thread-safe.
class TokenFile {
 public:
  // Errors: kInvalidArgument naming the file, and the line but not what is in
  // it.
  static absl::StatusOr<std::unique_ptr<TokenFile>> Open(
      const std::string& path, std::chrono::seconds refresh);

  // Whether `token` is one of them. Takes as long for each wrong one.
  bool Has(absl::string_view token) const;

  // Reads the file again if it changed. Errors: as of Open.
  absl::Status Refresh();

  // Whether the file, when last read, was no list of tokens.
  bool is_stale() const { return is_stale_.load(); }

 private:
  using Digest = std::array<unsigned char, 32>;  // SHA-256

  explicit TokenFile(std::string path) : path_(std::move(path)) {}
  absl::Status Read();
  static absl::StatusOr<std::vector<Digest>> Parse(absl::string_view text);
  static Digest DigestOf(absl::string_view text);

  const std::string path_;
  mutable absl::Mutex mutex_;
  Digest text_ ABSL_GUARDED_BY(mutex_){};
  std::vector<Digest> tokens_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> is_stale_ = false;
  std::jthread refresher_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_TOKEN_FILE_H_
