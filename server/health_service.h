// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// grpc.health.v1.Health (grpc/health/v1/health.proto): what serves, told once
// by Check, and at each change by Watch. The calls have slots of their own: a
// server whose slots and bytes are all taken is healthy.

#ifndef STRIDECAST_SERVER_HEALTH_SERVICE_H_
#define STRIDECAST_SERVER_HEALTH_SERVICE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "grpc/health/v1/health.pb.h"
#include "server/raw_service.h"
#include "server/small_stream.h"

namespace stridecast {

class HealthService final : public RawService {
 public:
  // Each connection may have some calls, all together two each.
  // `held` outlives the service and all its calls.
  HealthService(int64_t max_connections, HeldBytes* held);

  // From then on the name is known.
  void SetServing(absl::string_view name, bool is_serving);

  // Of calls whose requests are on the way.
  std::vector<CallerWaits*> waits() {
    return {&checks_.waits(), &watches_.waits()};
  }

  int64_t num_refused() const {
    return checks_.num_refused() + watches_.num_refused();
  }

 private:
  using Status = grpc::health::v1::HealthCheckResponse::ServingStatus;
  HealthService(int64_t num_calls, int64_t share, HeldBytes* held);

  class CheckCall;
  class WatchCall;

  // SERVICE_UNKNOWN if the name is not known.
  Status StatusOf(const std::string& name) const;
  // What who asks for another name is told.
  absl::Status UnknownName(const std::string& name) const;

  SmallCalls checks_;
  SmallCalls watches_;
  mutable absl::Mutex mutex_;
  absl::btree_map<std::string, bool> is_serving_ ABSL_GUARDED_BY(mutex_);
  // Those whose name has come.
  absl::flat_hash_map<WatchCall*, std::weak_ptr<WatchCall>> watchers_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_HEALTH_SERVICE_H_
