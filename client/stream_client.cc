// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/stream_client.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/binding.h"
#include "client/call_start.h"
#include "client/copy_elements.h"
#include "client/stream_run.h"
#include "stridecast/program.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

absl::Status Run(Transport& transport, const ClientOptions& client,
                 const Signature& signature,
                 std::vector<StreamRun::Source> operands,
                 std::vector<WriteBytes> results,
                 const StreamOptions& options) {
  ASSIGN_OR_RETURN(CallHeader header,
                   MakeHeader("ComputeStream", client, options.call));
  if (options.call.timeout) {
    header.deadline = absl::Now() + *options.call.timeout;
  }
  return StreamRun(transport.OpenStream(header), signature, std::move(operands),
                   std::move(results), options)
      .Run();
}

std::vector<StreamRun::Source> SourcesOf(
    absl::Span<const TensorView> operands) {
  std::vector<StreamRun::Source> sources;
  for (const TensorView& operand : operands) {
    sources.push_back({operand.data, {}});
  }
  return sources;
}

WriteBytes IntoMemory(const MutableTensorView& result) {
  return [&result](int64_t offset, absl::Span<const std::byte> bytes) {
    const SegmentedBytes part(bytes.data(), static_cast<int64_t>(bytes.size()));
    CopyElements(result.desc, part, offset, result.data);
    return absl::OkStatus();
  };
}

absl::Status CheckResults(const Explanation& ready,
                          absl::Span<const MutableTensorView> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (AreAlike(ready.results[i].desc, results[i].desc)) continue;
    return absl::InternalError(absl::StrCat(
        "the server announces ", DescAndSize(ready.results[i].desc),
        "; asked for was ", DescAndSize(results[i].desc)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status StreamClient::ComputeInto(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const MutableTensorView> results,
    const StreamOptions& options) const {
  ASSIGN_OR_RETURN(const Signature wanted,
                   WithResults(signature, DescsOf(results)));
  RETURN_IF_ERROR(BindOperands(signature, operands).status());
  std::vector<WriteBytes> writers;
  for (const MutableTensorView& result : results) {
    writers.push_back(IntoMemory(result));
  }
  StreamOptions checked = options;
  checked.on_ready = [&](const Explanation& ready) -> absl::Status {
    RETURN_IF_ERROR(CheckResults(ready, results));
    return options.on_ready ? options.on_ready(ready) : absl::OkStatus();
  };
  return Run(*client_.transport_, client_.options_, wanted, SourcesOf(operands),
             std::move(writers), checked);
}

absl::Status StreamClient::Compute(const Signature& signature,
                                   absl::Span<const ReadBytes> operands,
                                   absl::Span<const WriteBytes> results,
                                   const StreamOptions& options) const {
  if (operands.size() != signature.operands.size() ||
      results.size() != signature.results.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        operands.size(), " functions for operands and ", results.size(),
        " for results given to a program of ", signature.operands.size(),
        " and ", signature.results.size()));
  }
  std::vector<StreamRun::Source> sources;
  for (const ReadBytes& read : operands) sources.push_back({nullptr, read});
  return Run(*client_.transport_, client_.options_, signature,
             std::move(sources), {results.begin(), results.end()}, options);
}

absl::Status StreamClient::ComputeFromMemory(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const WriteBytes> results, const StreamOptions& options) const {
  RETURN_IF_ERROR(BindOperands(signature, operands).status());
  if (results.size() != signature.results.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(results.size(), " functions for results given to a ",
                     "program of ", signature.results.size()));
  }
  return Run(*client_.transport_, client_.options_, signature,
             SourcesOf(operands), {results.begin(), results.end()}, options);
}

absl::Status StreamClient::RelayoutInto(const TensorView& operand,
                                        const MutableTensorView& result,
                                        Overflow overflow,
                                        const StreamOptions& options) const {
  return ComputeInto(RelayoutSignature(operand.desc, result.desc, overflow),
                     {&operand, 1}, {&result, 1}, options);
}

}  // namespace stridecast
