// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/reply_messages.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/message_lite.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "proto/wire/tensor_codec.h"
#include "stridecast/status_macros.h"
#include "stridecast/v1/service.pb.h"

namespace stridecast {
namespace {

absl::Status Parse(const grpc::ByteBuffer& bytes, absl::string_view name,
                   google::protobuf::MessageLite* message) {
  grpc::ByteBuffer readable = bytes;  // references, for a reader without const
  grpc::ProtoBufferReader reader(&readable);
  if (!reader.status().ok() || !message->ParseFromZeroCopyStream(&reader)) {
    return absl::InternalError(
        absl::StrCat("the reply is not a stridecast.v1.", name));
  }
  return absl::OkStatus();
}

absl::StatusOr<ExplainedTensor> ToExplainedTensor(const v1::TensorPlan& plan) {
  auto desc = TensorDescFromProto(plan.desc());
  if (!desc.ok()) {
    return absl::InternalError(
        absl::StrCat("in the reply: ", desc.status().message()));
  }
  return ExplainedTensor{*std::move(desc),
                         plan.streaming() == v1::TensorPlan::STREAMED,
                         plan.stream_begin(), plan.stream_end()};
}

}  // namespace

absl::StatusOr<Explanation> DecodePlan(const grpc::ByteBuffer& message) {
  v1::Plan plan;
  RETURN_IF_ERROR(Parse(message, "Plan", &plan));
  return ExplanationOf(plan);
}

absl::StatusOr<Explanation> ExplanationOf(const v1::Plan& plan) {
  Explanation explanation;
  for (const v1::TensorPlan& operand : plan.operands()) {
    ASSIGN_OR_RETURN(ExplainedTensor tensor, ToExplainedTensor(operand));
    explanation.operands.push_back(std::move(tensor));
  }
  for (const v1::TensorPlan& result : plan.results()) {
    ASSIGN_OR_RETURN(ExplainedTensor tensor, ToExplainedTensor(result));
    explanation.results.push_back(std::move(tensor));
  }
  explanation.scratch_bytes = plan.scratch_bytes();
  explanation.admitted_bytes = plan.admitted_bytes();
  explanation.stream_memory_bytes = plan.stream_memory_bytes();
  explanation.max_chunk_bytes = plan.max_chunk_bytes();
  explanation.text = plan.text();
  return explanation;
}

absl::StatusOr<ServerInfo> DecodeServerInfo(const grpc::ByteBuffer& message) {
  v1::GetServerInfoResponse response;
  RETURN_IF_ERROR(Parse(message, "GetServerInfoResponse", &response));
  ServerInfo info;
  info.version = response.version();
  info.simd_target = response.simd_target();
  info.limits.insert(response.limits().begin(), response.limits().end());
  for (const auto& row : response.operations()) {
    // A newer server's operation has a number that this client cannot name.
    const std::string& name = v1::Instruction::Opcode_Name(row.opcode());
    ServerInfo::Support& support = info.operations.emplace_back();
    support.operation =
        name.empty() ? absl::StrCat("opcode ", static_cast<int>(row.opcode()))
                     : name;
    for (int type : row.types()) {
      if (IsDType(type)) support.types.push_back(static_cast<DType>(type));
    }
  }
  info.features.assign(response.features().begin(), response.features().end());
  return info;
}

}  // namespace stridecast
