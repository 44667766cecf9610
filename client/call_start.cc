// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/call_start.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/unary_call.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// The length in front of a message has 32 bits, and gRPC does not check it.
constexpr size_t kMaxMessageBytes = std::numeric_limits<uint32_t>::max();

// gRPC ends the process for others.
absl::Status CheckMetadata(const CallMetadata& metadata) {
  for (const auto& [key, value] : metadata) {
    const bool is_key = std::all_of(key.begin(), key.end(), [](char c) {
      return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-' ||
             c == '_' || c == '.';
    });
    if (key.empty() || !is_key || absl::StartsWith(key, "grpc-")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "metadata: the key \"", key,
          "\" is not of lower-case letters, digits and -_., or is gRPC's"));
    }
    // To gRPC, "-bin" alone is a key like others.
    const bool is_binary = key.size() > 4 && absl::EndsWith(key, "-bin");
    if (is_binary ||
        std::all_of(value.begin(), value.end(), absl::ascii_isprint)) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("metadata: the value of \"", key,
                     "\" is not printable ASCII; keys of others end in -bin"));
  }
  return absl::OkStatus();
}

// gRPC takes the infinite past for no deadline.
absl::Time DeadlineAfter(absl::Duration timeout) {
  return absl::Now() + std::max(timeout, absl::ZeroDuration());
}

}  // namespace

absl::StatusOr<CallHeader> MakeHeader(const char* method,
                                      const ClientOptions& client,
                                      const CallOptions& options) {
  CallHeader header;
  header.method = absl::StrCat("/stridecast.v1.TensorCompute/", method);
  header.wait_for_ready =
      options.wait_for_ready.value_or(client.wait_for_ready);
  header.metadata = client.metadata;
  header.metadata.insert(header.metadata.end(), options.metadata.begin(),
                         options.metadata.end());
  RETURN_IF_ERROR(CheckMetadata(header.metadata));
  header.stop = options.stop;
  header.on_trailers = options.on_trailers;
  return header;
}

absl::StatusOr<CallHeader> MakeStreamHeader(const ClientOptions& client,
                                            const CallOptions& options) {
  ASSIGN_OR_RETURN(CallHeader header,
                   MakeHeader("ComputeStream", client, options));
  if (options.timeout) header.deadline = DeadlineAfter(*options.timeout);
  return header;
}

absl::Status CheckMessage(const grpc::ByteBuffer& message) {
  if (!message.Valid()) {
    return absl::InvalidArgumentError(
        "the program's constants take more than 2 GiB");
  }
  if (message.Length() > kMaxMessageBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a message of ", message.Length(), " bytes; gRPC carries no more than ",
        kMaxMessageBytes, ", streams any number"));
  }
  return absl::OkStatus();
}

absl::Status CheckTransport(const Transport* transport) {
  if (transport != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError("the client was given a null channel");
}

void StartCall(std::shared_ptr<Transport> transport,
               const ClientOptions& client, const CallOptions& options,
               const char* method, const grpc::ByteBuffer& request,
               std::function<void(Transport::Reply)> done) {
  for (const absl::Status& status :
       {CheckTransport(transport.get()), CheckMessage(request)}) {
    if (!status.ok()) return done(status);
  }
  absl::StatusOr<CallHeader> header = MakeHeader(method, client, options);
  if (!header.ok()) return done(header.status());
  header->deadline = DeadlineAfter(options.timeout.value_or(client.timeout));
  UnaryCall::Start(
      std::move(transport), *std::move(header),
      {.max = client.max_attempts,
       .timeout = options.attempt_timeout.value_or(client.attempt_timeout)},
      request, std::move(done));
}

}  // namespace stridecast
