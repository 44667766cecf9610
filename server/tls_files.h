// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The PEM files of TLS: what the server shows, and who signs its clients. They
// are read again every so often; files that do not make a whole leave what was
// in effect, so that they may be replaced one after the other. gRPC's own
// watcher takes them as they are: a file of nonsense fails each handshake from
// then on, and an empty key ends the process (1.51).

#ifndef STRIDECAST_SERVER_TLS_FILES_H_
#define STRIDECAST_SERVER_TLS_FILES_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace stridecast {

// PEM texts that fit together.
struct TlsIdentity {
  std::string certificate_chain;
  std::string private_key;
  std::string client_authorities;  // Empty: clients are not asked.
  // When the first certificate of the chain ends that does.
  std::chrono::system_clock::time_point expiry;
};

// Thread-safe.
class TlsFiles {
 public:
  struct Paths {
    std::string certificate_chain;   // --tls-certificate
    std::string private_key;         // --tls-private-key
    std::string client_authorities;  // --tls-client-ca; empty: none
  };

  // Errors: kInvalidArgument naming the flag and the file that cannot be read
  // or has no PEM of its kind, or a key that is not the certificate's.
  static absl::StatusOr<std::unique_ptr<TlsFiles>> Open(
      const Paths& paths, std::chrono::seconds refresh);

  // What is in effect. Another object once the files have changed.
  std::shared_ptr<const TlsIdentity> identity() const;

  // Reads the files again. Errors: as of Open; also for a chain that has
  // expired, while the one in effect has not.
  absl::Status Refresh();

  // Whether the files, when last read, were not to be used.
  bool is_stale() const { return is_stale_.load(); }

 private:
  explicit TlsFiles(const Paths& paths) : paths_(paths) {}
  absl::Status Read();

  const Paths paths_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<const TlsIdentity> identity_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> is_stale_ = false;
  std::jthread refresher_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_TLS_FILES_H_
