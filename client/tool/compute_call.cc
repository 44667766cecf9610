// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/compute_call.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/tool/progress.h"
#include "stridecast/client.h"
#include "stridecast/status_macros.h"
#include "stridecast/stream_client.h"

namespace stridecast {
namespace {

// Half of a server's default --max-message-bytes. Below it a message is at
// least as fast.
constexpr int64_t kMaxUnaryBytes = int64_t{32} << 20;

using Results = std::vector<OwnedTensor>;

// Results are made when the server has said what they will be.
absl::StatusOr<Results> Stream(const CommonFlags& flags, const Client& client,
                               const Signature& signature,
                               absl::Span<const TensorView> operands,
                               Progress& progress) {
  Results results;
  std::vector<ReadBytes> readers;
  for (const TensorView& operand : operands) {
    readers.push_back([&operand](int64_t offset, absl::Span<std::byte> into) {
      std::memcpy(into.data(), operand.data + offset, into.size());
      return absl::OkStatus();
    });
  }
  std::vector<WriteBytes> writers;
  for (size_t i = 0; i < signature.results.size(); ++i) {
    writers.push_back(
        [&results, i](int64_t offset, absl::Span<const std::byte> bytes) {
          std::memcpy(results[i].data() + offset, bytes.data(), bytes.size());
          return absl::OkStatus();
        });
  }
  StreamOptions options;
  if (flags.timeout_seconds) {
    options.call.timeout = absl::Seconds(*flags.timeout_seconds);
  }
  options.on_ready = [&results](const Explanation& ready) -> absl::Status {
    for (const ExplainedTensor& result : ready.results) {
      ASSIGN_OR_RETURN(OwnedTensor tensor, OwnedTensor::Allocate(result.desc));
      results.push_back(std::move(tensor));
    }
    return absl::OkStatus();
  };
  int64_t sent_bytes = 0;
  options.on_progress = [&](const StreamProgress& now) {
    progress.Advance(now.sent_bytes - sent_bytes);
    sent_bytes = now.sent_bytes;
  };
  RETURN_IF_ERROR(
      StreamClient(client).Compute(signature, readers, writers, options));
  return results;
}

}  // namespace

absl::Status CallCompute(const CommonFlags& common, const OutputFlags& output,
                         const Signature& signature,
                         absl::Span<const LoadedTensor> operands) {
  if (operands.size() != signature.operands.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program has ", signature.operands.size(),
                     " operands; ", operands.size(), " are given"));
  }
  CallReport report;
  std::vector<TensorView> views;
  int64_t operand_bytes = 0;
  for (const LoadedTensor& operand : operands) {
    views.push_back(operand.view());
    report.operands.push_back(operand.desc);
    operand_bytes += operand.desc.size_bytes();
  }
  const Client client = common.Connect();
  Progress progress(TerminalForProgress(), common.server, operand_bytes);
  const absl::Time start = absl::Now();
  const absl::StatusOr<Results> results =
      operand_bytes <= kMaxUnaryBytes
          ? client.Compute(signature, views)
          : Stream(common, client, signature, views, progress);
  report.elapsed = absl::Now() - start;
  progress.End();
  if (!results.ok()) return FromServer(common, results.status());
  for (const OwnedTensor& result : *results) {
    report.results.push_back(result.view());
  }
  return Deliver(common, output, report);
}

}  // namespace stridecast
