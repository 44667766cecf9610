// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CLIENT_PREPARED_COMPUTE_H_
#define STRIDECAST_CLIENT_PREPARED_COMPUTE_H_

#include <string>
#include <vector>

#include "stridecast/client.h"

namespace stridecast {

struct PreparedCompute::Encoded {
  Signature signature;
  std::vector<TensorDesc> results;  // of ComputeInto's buffers; else empty
  std::string head;                 // the request without payloads
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_PREPARED_COMPUTE_H_
