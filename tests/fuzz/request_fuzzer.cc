// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// libFuzzer target: any bytes as the body of a call, through all that the
// server does with them: decode, prepare and, where results are small, run.
// Beside it protobuf reads the message.
// The first byte says which message the others are, and of what size the slices
// are that gRPC would hand over.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/engine/engine.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/stream_codec.h"
#include "tests/wire/split_check.h"

namespace stridecast {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 20;

const Engine& TheEngine() {
  static const std::unique_ptr<Engine> engine = [] {
    EngineOptions options;
    options.limits.max_result_bytes = kMaxBytes;
    options.limits.max_scratch_bytes = kMaxBytes;
    options.num_threads = 1;
    return Engine::Create(options).value();
  }();
  return *engine;
}

void Check(bool holds) {
  if (!holds) std::abort();
}

grpc::ByteBuffer InSlices(const uint8_t* data, size_t size, size_t slice_size) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < size; at += slice_size) {
    slices.emplace_back(data + at, std::min(slice_size, size - at));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

void Run(const Plan& plan, const DecodedRequest& request) {
  std::vector<std::vector<std::byte>> pieces;
  std::vector<SegmentedBytes> operands;
  for (size_t i = 0; i < request.payloads.size(); ++i) {
    if (plan.IsOperandStreamed(static_cast<int>(i))) {
      operands.push_back(request.payloads[i]);
      continue;
    }
    const int64_t size_bytes = request.payloads[i].size_bytes();
    pieces.emplace_back(static_cast<size_t>(size_bytes));
    request.payloads[i].CopyTo(0, size_bytes, pieces.back().data());
    operands.emplace_back(pieces.back().data(), size_bytes);
  }
  std::vector<std::vector<std::byte>> buffers;
  std::vector<absl::Span<std::byte>> results;
  for (const TensorDesc& desc : plan.results()) {
    buffers.emplace_back(static_cast<size_t>(desc.size_bytes()));
    results.push_back(absl::MakeSpan(buffers.back()));
  }
  const auto scratch_bytes = static_cast<size_t>(plan.scratch_bytes());
  const std::unique_ptr<void, decltype(&std::free)> scratch(
      std::aligned_alloc(64, (scratch_bytes + 63) / 64 * 64), &std::free);
  Check(plan.Run({operands,
                  results,
                  {static_cast<std::byte*>(scratch.get()), scratch_bytes}})
            .ok());
}

void CheckNoFault(const std::string& fault) {
  if (!fault.empty()) std::fprintf(stderr, "%s\n", fault.c_str());
  Check(fault.empty());
}

// What a stream begins with; of a chunk there is nothing to run.
absl::StatusOr<DecodedRequest> DecodeBegin(const grpc::ByteBuffer& message) {
  absl::StatusOr<StreamEvent> event = DecodeStreamRequest(message);
  if (!event.ok()) return event.status();
  auto* begin = std::get_if<DecodedRequest>(&*event);
  if (begin == nullptr) return absl::InvalidArgumentError("a chunk");
  return std::move(*begin);
}

void Call(const uint8_t* data, size_t size) {
  if (size == 0) return;
  const size_t slice_size = size_t{1} << (data[0] >> 4);
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                                size - 1);
  const grpc::ByteBuffer message = InSlices(data + 1, size - 1, slice_size);
  // Cut apart as protobuf reads it.
  const auto check_parts = [&](SpecSource source) {
    CheckNoFault(testing::CheckSplit(bytes, slice_size, source));
  };
  absl::StatusOr<DecodedRequest> request;
  switch (data[0] & 3) {
    case 0:
      check_parts(SpecSource::kRelayout);
      request = DecodeRelayoutRequest(message);
      break;
    case 1:
      request = DecodeExplainRequest(message);
      break;
    case 2:
      check_parts(SpecSource::kCompute);
      request = DecodeComputeRequest(message);
      break;
    default:
      check_parts(SpecSource::kComputeStream);
      CheckNoFault(testing::CheckStreamEvent(bytes, slice_size));
      request = DecodeBegin(message);
      break;
  }
  if (!request.ok()) return;
  const auto plan = TheEngine().Prepare(request->signature);
  if (!plan.ok()) {
    Check(plan.status().code() == absl::StatusCode::kInvalidArgument ||
          plan.status().code() == absl::StatusCode::kUnimplemented ||
          plan.status().code() == absl::StatusCode::kResourceExhausted);
    return;
  }
  Check(!(*plan)->ToString().empty());
  if (request->payloads.size() == request->signature.operands.size()) {
    Run(**plan, *request);
  }
}

}  // namespace
}  // namespace stridecast

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stridecast::Call(data, size);
  return 0;
}
