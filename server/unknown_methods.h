// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Calls of methods that no service has. gRPC would refuse them itself, and hold
// the replies for who does not read them where nobody counts them.

#ifndef STRIDECAST_SERVER_UNKNOWN_METHODS_H_
#define STRIDECAST_SERVER_UNKNOWN_METHODS_H_

#include "grpcpp/generic/async_generic_service.h"
#include "server/caller_waits.h"
#include "server/held_bytes.h"

namespace stridecast {

class UnknownMethods final : public grpc::CallbackGenericService {
 public:
  // `held` outlives it and all its calls.
  explicit UnknownMethods(HeldBytes* held) : waits_(held) {}

  CallerWaits& waits() { return waits_; }

  // Ends with UNIMPLEMENTED, which names the method.
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

 private:
  CallerWaits waits_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_UNKNOWN_METHODS_H_
