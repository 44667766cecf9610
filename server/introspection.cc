// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/introspection.h"

#include <string>

#include "grpcpp/support/proto_buffer_reader.h"
#include "proto/wire/payload_codec.h"
#include "proto/wire/tensor_codec.h"
#include "proto/wire/unknown_fields.h"
#include "server/stream_job.h"
#include "server/tensor_job.h"
#include "server/version.h"
#include "stridecast/dtype.h"
#include "stridecast/operation.h"
#include "stridecast/shape.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

void Describe(const TensorDesc& desc, bool streamed, v1::TensorPlan* message) {
  *message->mutable_desc() = TensorDescToProto(desc);
  DimsToProto(desc.byte_strides(), message->mutable_byte_strides());
  message->set_size_bytes(desc.size_bytes());
  message->set_streaming(streamed ? v1::TensorPlan::STREAMED
                                  : v1::TensorPlan::HELD);
  message->set_xla_shape(desc.ToString());
}

// A result can be sent while it grows if some step before the last finishes a
// part of it.
bool IsResultStreamed(const Plan& plan, int result) {
  const int64_t num_steps = plan.num_outer_steps();
  return num_steps > 1 && plan.ResultBytes(result, num_steps - 1) > 0;
}

}  // namespace

v1::Plan DescribePlan(const Plan& plan) {
  v1::Plan message;
  for (size_t i = 0; i < plan.operands().size(); ++i) {
    const int operand = static_cast<int>(i);
    const bool is_streamed = plan.IsOperandStreamed(operand);
    v1::TensorPlan* const described = message.add_operands();
    Describe(plan.operands()[i], is_streamed, described);
    const int64_t begin = plan.OperandBegin(operand, 0);
    const int64_t end = plan.OperandBytes(operand, plan.num_outer_steps());
    if (!is_streamed || begin >= end) continue;
    described->set_stream_begin(begin);
    described->set_stream_end(end);
  }
  for (size_t i = 0; i < plan.results().size(); ++i) {
    Describe(plan.results()[i], IsResultStreamed(plan, static_cast<int>(i)),
             message.add_results());
  }
  message.set_scratch_bytes(plan.scratch_bytes());
  message.set_admitted_bytes(AdmittedBytes(plan));
  message.set_stream_memory_bytes(StreamMemoryBytes(plan));
  message.set_stream_window_bytes(kStreamWindowBytes);
  message.set_max_chunk_bytes(kMaxChunkBytes);
  message.set_text(plan.ToString());
  return message;
}

v1::GetServerInfoResponse DescribeServer(const ServerOptions& options,
                                         const Engine& engine) {
  v1::GetServerInfoResponse info;
  info.set_version(kStridecastVersion);
  info.set_simd_target(std::string(engine.simd_target()));

  auto& limits = *info.mutable_limits();
  const EngineLimits& of_engine = engine.limits();
  limits["max_message_bytes"] = options.max_message_bytes;
  limits["max_result_bytes"] = of_engine.max_result_bytes;
  limits["max_scratch_bytes"] = of_engine.max_scratch_bytes;
  limits["max_inflight_bytes"] = options.max_inflight_bytes;
  limits["max_inflight_calls"] = options.max_inflight_calls;
  limits["max_concurrent_streams"] = options.max_concurrent_streams;
  limits["default_deadline_seconds"] = options.default_deadline_seconds;
  limits["stream_idle_seconds"] = options.stream_idle_seconds;
  limits["max_cost_ms"] = static_cast<int64_t>(of_engine.max_cost_ns / 1e6);
  limits["max_rank"] = kMaxRank;
  limits["max_instructions"] = of_engine.max_instructions;
  limits["max_operand_references"] = of_engine.max_operand_references;
  limits["max_operands"] = of_engine.max_operands;
  limits["max_results"] = of_engine.max_results;
  limits["max_typed_elements"] = kMaxTypedElements;
  limits["max_constant_bytes"] = of_engine.max_constant_bytes;

  for (const Operation& operation : AllOperations()) {
    v1::GetServerInfoResponse::Support support;
    support.set_opcode(static_cast<v1::Instruction::Opcode>(operation.opcode));
    for (DType type : kAllDTypes) {
      if (engine.Supports(operation.opcode, type)) {
        support.add_types(DTypeToProto(type));
      }
    }
    if (support.types_size() > 0) *info.add_operations() = std::move(support);
  }
  return info;
}

absl::Status CheckServerInfoRequest(const grpc::ByteBuffer& message) {
  v1::GetServerInfoRequest request;
  grpc::ByteBuffer bytes = message;  // shares the slices
  grpc::ProtoBufferReader reader(&bytes);
  if (!reader.status().ok() || !request.ParseFromZeroCopyStream(&reader)) {
    return FieldError("GetServerInfoRequest", "the bytes are no message");
  }
  return CheckNoUnknownFields(request);
}

grpc::ByteBuffer SerializeMessage(
    const google::protobuf::MessageLite& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace stridecast
