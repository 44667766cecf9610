// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CLIENT_GRPC_RUNTIME_H_
#define STRIDECAST_CLIENT_GRPC_RUNTIME_H_

namespace stridecast {

// From the first call of this on, gRPC and its threads live as long as the
// process. By itself gRPC ends them with the last channel or alarm, and waits
// for them: for ever or in vain, if the last reference is dropped by a function
// that such a thread runs, as the end of an asynchronous call may do.
void KeepGrpcRunning();

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_GRPC_RUNTIME_H_
