// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/compute_call.h"

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/tool/output_file.h"
#include "client/tool/progress.h"
#include "client/tool/usage_error.h"
#include "stridecast/client.h"
#include "stridecast/status_macros.h"
#include "stridecast/stream_client.h"

namespace stridecast {
namespace {

// Half of a server's default --max-message-bytes. Below it a message is at
// least as fast.
constexpr int64_t kMaxUnaryBytes = int64_t{32} << 20;

// A result on its way: into its file as it comes, if the file's format and name
// are such, else into memory.
struct Received {
  TensorDesc desc;
  std::optional<OutputFile> file = std::nullopt;
  std::optional<OwnedTensor> memory = std::nullopt;
};

absl::StatusOr<Received> Receive(const CommonFlags& flags,
                                 const OutputFlags& output,
                                 const TensorDesc& desc,
                                 const std::string& path) {
  if (path.empty()) RETURN_IF_ERROR(CheckPrintable(flags, desc));
  Received received{desc};
  const auto head =
      path.empty() ? std::nullopt : HeadOfFile(FormatOf(output, path), desc);
  if (head) {
    ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
    RETURN_IF_ERROR(file.Write(*head));
    received.file.emplace(std::move(file));
  } else {
    ASSIGN_OR_RETURN(received.memory, OwnedTensor::Allocate(desc));
  }
  return received;
}

absl::Status Append(Received& result, int64_t offset,
                    absl::Span<const std::byte> bytes) {
  if (result.file) {
    return result.file->Write(
        {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  std::memcpy(result.memory->data() + offset, bytes.data(), bytes.size());
  return absl::OkStatus();
}

// A call that the server or this side ended, kept apart: what is wrong with an
// output file is no fault of the server's.
struct Outcome {
  absl::Status server;
  absl::Status output;
  std::vector<Received> results;
};

// Results are made when the server has said what they will be.
Outcome Stream(const CommonFlags& flags, const OutputFlags& output,
               const Client& client, const Signature& signature,
               absl::Span<const TensorView> operands, Progress& progress) {
  Outcome outcome;
  std::vector<WriteBytes> writers;
  for (size_t i = 0; i < signature.results.size(); ++i) {
    writers.push_back(
        [&outcome, i](int64_t offset, absl::Span<const std::byte> bytes) {
          return outcome.output = Append(outcome.results[i], offset, bytes);
        });
  }
  StreamOptions options;
  if (flags.timeout_seconds) {
    options.call.timeout = absl::Seconds(*flags.timeout_seconds);
  }
  options.on_ready = [&](const Explanation& ready) {
    for (size_t i = 0; i < ready.results.size(); ++i) {
      auto received =
          Receive(flags, output, ready.results[i].desc, PathOf(output, i));
      if (!received.ok()) return outcome.output = received.status();
      outcome.results.push_back(*std::move(received));
    }
    return absl::OkStatus();
  };
  int64_t sent_bytes = 0;
  options.on_progress = [&](const StreamProgress& now) {
    progress.Advance(now.sent_bytes - sent_bytes);
    sent_bytes = now.sent_bytes;
  };
  outcome.server =
      StreamClient(client).Compute(signature, operands, writers, options);
  return outcome;
}

Outcome Call(const Client& client, const Signature& signature,
             absl::Span<const TensorView> operands) {
  Outcome outcome;
  auto results = client.Compute(signature, operands);
  outcome.server = results.status();
  if (!results.ok()) return outcome;
  for (OwnedTensor& result : *results) {
    const TensorDesc desc = result.desc();
    outcome.results.push_back({desc, std::nullopt, std::move(result)});
  }
  return outcome;
}

}  // namespace

absl::Status CallCompute(const CommonFlags& common, const OutputFlags& output,
                         const Signature& signature,
                         absl::Span<const LoadedTensor> operands) {
  if (operands.size() != signature.operands.size()) {
    return UsageError(absl::StrCat("the program has ",
                                   signature.operands.size(), " operands; ",
                                   operands.size(), " are given"));
  }
  RETURN_IF_ERROR(CheckOutputCount(output, signature.results.size()));
  CallReport report;
  std::vector<TensorView> views;
  int64_t operand_bytes = 0;
  for (const LoadedTensor& operand : operands) {
    views.push_back(operand.view());
    report.operands.push_back(operand.desc);
    operand_bytes += operand.desc.size_bytes();
  }
  ASSIGN_OR_RETURN(const Client client, common.Connect());
  Progress progress(TerminalForProgress(), common.server, operand_bytes);
  const absl::Time start = absl::Now();
  Outcome outcome =
      operand_bytes <= kMaxUnaryBytes
          ? Call(client, signature, views)
          : Stream(common, output, client, signature, views, progress);
  report.elapsed = absl::Now() - start;
  progress.End();
  RETURN_IF_ERROR(outcome.output);
  if (!outcome.server.ok()) return FromServer(common, outcome.server);
  for (Received& result : outcome.results) {
    const std::byte* data = result.memory ? result.memory->data() : nullptr;
    report.results.push_back({{result.desc, data}, std::move(result.file)});
  }
  return Deliver(common, output, std::move(report));
}

}  // namespace stridecast
