// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/stream_rpc.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/binding.h"
#include "client/copy_elements.h"
#include "proto/wire/stream_codec.h"
#include "stridecast/program.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

Nothing TakeNothing() { return Nothing(); }

template <typename Function>
absl::Status CheckFunctions(absl::string_view of, size_t num_expected,
                            absl::Span<const Function> functions) {
  if (functions.size() != num_expected) {
    return absl::InvalidArgumentError(
        absl::StrCat(functions.size(), " functions for ", of,
                     "s given to a program of ", num_expected));
  }
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i] != nullptr) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(of, " ", i, ": its function is empty"));
  }
  return absl::OkStatus();
}

absl::StatusOr<StreamJob> JobOf(const Signature& signature,
                                absl::Span<const TensorView> operands,
                                std::vector<WriteBytes> results,
                                const StreamOptions& options) {
  RETURN_IF_ERROR(BindOperands(signature, operands).status());
  StreamJob job{EncodeStreamBegin(signature), {}, std::move(results), options};
  for (const TensorView& operand : operands) {
    job.operands.push_back({operand.desc.size_bytes(), operand.data});
  }
  return job;
}

using OnReady = std::function<absl::Status(const Explanation&)>;

// `first`, and then the caller's, if there is one.
void PutFirst(OnReady first, StreamOptions& options) {
  options.on_ready = [first = std::move(first),
                      then = std::move(options.on_ready)](
                         const Explanation& ready) -> absl::Status {
    RETURN_IF_ERROR(first(ready));
    return then ? then(ready) : absl::OkStatus();
  };
}

OnReady CheckResults(std::vector<TensorDesc> wanted) {
  return [wanted = std::move(wanted)](const Explanation& ready) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (AreAlike(ready.results[i].desc, wanted[i])) continue;
      return absl::InternalError(absl::StrCat(
          "the server announces ", DescAndSize(ready.results[i].desc),
          "; asked for was ", DescAndSize(wanted[i])));
    }
    return absl::OkStatus();
  };
}

OnReady AllocateResults(std::shared_ptr<Results> results) {
  return [results =
              std::move(results)](const Explanation& ready) -> absl::Status {
    for (const ExplainedTensor& result : ready.results) {
      ASSIGN_OR_RETURN(OwnedTensor tensor, OwnedTensor::Allocate(result.desc));
      results->push_back(std::move(tensor));
    }
    return absl::OkStatus();
  };
}

WriteBytes IntoMemory(const MutableTensorView& result) {
  return [result](int64_t offset, absl::Span<const std::byte> bytes) {
    const SegmentedBytes part(bytes.data(), static_cast<int64_t>(bytes.size()));
    CopyElements(result.desc, part, offset, result.data);
    return absl::OkStatus();
  };
}

// Gaps included, which were never written to.
WriteBytes IntoOwned(std::shared_ptr<Results> results, size_t index) {
  return [results = std::move(results), index](
             int64_t offset, absl::Span<const std::byte> bytes) {
    std::copy(bytes.begin(), bytes.end(), (*results)[index].data() + offset);
    return absl::OkStatus();
  };
}

}  // namespace

absl::StatusOr<StreamRpc<Results>> ComputeStreamRpc(
    const Signature& signature, absl::Span<const TensorView> operands,
    const StreamOptions& options) {
  const auto results = std::make_shared<Results>();
  std::vector<WriteBytes> writers;
  for (size_t i = 0; i < signature.results.size(); ++i) {
    writers.push_back(IntoOwned(results, i));
  }
  ASSIGN_OR_RETURN(StreamJob job,
                   JobOf(signature, operands, std::move(writers), options));
  PutFirst(AllocateResults(results), job.options);
  return StreamRpc<Results>{std::move(job),
                            [results] { return std::move(*results); }};
}

absl::StatusOr<StreamRpc<Nothing>> ComputeStreamRpc(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const WriteBytes> results, const StreamOptions& options) {
  RETURN_IF_ERROR(CheckFunctions("result", signature.results.size(), results));
  ASSIGN_OR_RETURN(
      StreamJob job,
      JobOf(signature, operands, {results.begin(), results.end()}, options));
  return StreamRpc<Nothing>{std::move(job), &TakeNothing};
}

absl::StatusOr<StreamRpc<Nothing>> ComputeStreamRpc(
    const Signature& signature, absl::Span<const ReadBytes> operands,
    absl::Span<const WriteBytes> results, const StreamOptions& options) {
  RETURN_IF_ERROR(
      CheckFunctions("operand", signature.operands.size(), operands));
  RETURN_IF_ERROR(CheckFunctions("result", signature.results.size(), results));
  StreamJob job{EncodeStreamBegin(signature),
                {},
                {results.begin(), results.end()},
                options};
  for (size_t i = 0; i < operands.size(); ++i) {
    job.operands.push_back(
        {signature.operands[i].size_bytes(), nullptr, operands[i]});
  }
  return StreamRpc<Nothing>{std::move(job), &TakeNothing};
}

absl::StatusOr<StreamRpc<Nothing>> ComputeIntoStreamRpc(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const MutableTensorView> results, const StreamOptions& options) {
  ASSIGN_OR_RETURN(const Signature wanted, BindResults(signature, results));
  std::vector<WriteBytes> writers;
  for (const MutableTensorView& result : results) {
    writers.push_back(IntoMemory(result));
  }
  ASSIGN_OR_RETURN(StreamJob job,
                   JobOf(wanted, operands, std::move(writers), options));
  PutFirst(CheckResults(DescsOf(results)), job.options);
  return StreamRpc<Nothing>{std::move(job), &TakeNothing};
}

absl::StatusOr<StreamRpc<OwnedTensor>> RelayoutStreamRpc(
    const TensorView& operand, const PhysicalForm& result_form,
    const std::optional<ConvertAttribute>& convert,
    const StreamOptions& options) {
  ASSIGN_OR_RETURN(
      StreamRpc<Results> rpc,
      ComputeStreamRpc(RelayoutSignature(operand.desc, result_form, convert),
                       {&operand, 1}, options));
  return StreamRpc<OwnedTensor>{std::move(rpc.job),
                                [take = std::move(rpc.take_results)] {
                                  return std::move(take().front());
                                }};
}

absl::StatusOr<StreamRpc<Nothing>> RelayoutIntoStreamRpc(
    const TensorView& operand, const MutableTensorView& result,
    Overflow overflow, const StreamOptions& options) {
  return ComputeIntoStreamRpc(
      RelayoutSignature(operand.desc, result.desc, overflow), {&operand, 1},
      {&result, 1}, options);
}

}  // namespace stridecast
