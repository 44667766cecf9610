// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Server reflection (grpc/reflection/v1/reflection.proto, and v1alpha, whose
// messages are the same): the descriptors of what this program has linked, for
// tools without the proto files.

#ifndef STRIDECAST_SERVER_REFLECTION_SERVICE_H_
#define STRIDECAST_SERVER_REFLECTION_SERVICE_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "server/raw_service.h"
#include "server/small_stream.h"

namespace stridecast {

// Both versions.
class ReflectionService final : public RawService {
 public:
  // `services` are the full names that are listed. A stream that asks nothing
  // for `idle` ends. `held` outlives the service and all its calls.
  ReflectionService(std::vector<std::string> services,
                    std::chrono::seconds idle, HeldBytes* held);

  // Of streams whose next request is on the way.
  CallerWaits& waits() { return streams_.waits(); }

  int64_t num_refused() const { return streams_.num_refused(); }

 private:
  class StreamCall;

  const std::vector<std::string> services_;
  SmallCalls streams_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_REFLECTION_SERVICE_H_
