// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast.v1.TensorCompute over the engine. Requests arrive as raw bytes, so
// that payloads are computed where they were received.
// Rules:
//   (S1) gRPC's threads parse and admit; work above kInlineCostNs runs on the
//        engine's threads
//   (S2) a method says what is its own; Call does what all have in common
//   (S3) a request's own faults show before any memory is taken for it

#ifndef STRIDECAST_SERVER_COMPUTE_SERVICE_H_
#define STRIDECAST_SERVER_COMPUTE_SERVICE_H_

#include <chrono>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/engine/engine.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/server_callback.h"
#include "proto/wire/request_codec.h"
#include "server/call.h"
#include "server/options.h"
#include "server/tensor_job.h"
#include "stridecast/v1/service.grpc.pb.h"

namespace stridecast {

using RawTensorCompute = v1::TensorCompute::WithRawCallbackMethod_Compute<
    v1::TensorCompute::WithRawCallbackMethod_Relayout<
        v1::TensorCompute::WithRawCallbackMethod_Explain<
            v1::TensorCompute::WithRawCallbackMethod_GetServerInfo<
                v1::TensorCompute::WithRawCallbackMethod_ComputeStream<
                    v1::TensorCompute::Service>>>>>;

class ComputeService final : public RawTensorCompute {
 public:
  // `engine` outlives the service and all its calls.
  ComputeService(const ServerOptions& options, Engine* engine);

  grpc::ServerUnaryReactor* Compute(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* Relayout(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* Explain(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* reply) override;
  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* context,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* reply) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ComputeStream(
      grpc::CallbackServerContext* context) override;

  // Refuses calls from now on; then waits until none runs and the replies of
  // all have been handed to the kernel, or until `deadline`.
  void Finish(std::chrono::steady_clock::time_point deadline);

 private:
  using Decode = absl::StatusOr<DecodedRequest> (&)(const grpc::ByteBuffer&);

  void RunTensorCall(Call& call, Decode decode);
  absl::StatusOr<TensorJob> PrepareJob(Call& call, Decode decode);
  absl::StatusOr<std::shared_ptr<const Plan>> Prepare(
      const DecodedRequest& request, Delivery delivery) const;

  Engine* const engine_;
  const CallEnvironment environment_;
  const grpc::ByteBuffer server_info_;  // the reply, which never changes
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_COMPUTE_SERVICE_H_
