// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast health: one grpc.health.v1.Health/Check, as a container's health
// check. Its two messages have one field each and are written by hand: the
// generated classes belong to the server, which the tool is built without.

#include <iostream>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "client/tool/command.h"
#include "client/unary_call.h"
#include "google/protobuf/unknown_field_set.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "stridecast/status_macros.h"
#include "stridecast/transport.h"

namespace stridecast {
namespace {

constexpr int kMaxAttempts = 3;
// Below the 3 s after which container runtimes are told to give up.
constexpr double kDefaultTimeoutSeconds = 2;

// HealthCheckRequest.service and HealthCheckResponse.status.
constexpr int kFieldNumber = 1;

// HealthCheckResponse.ServingStatus.
constexpr uint64_t kServing = 1;
constexpr absl::string_view kStatusNames[] = {"UNKNOWN", "SERVING",
                                              "NOT_SERVING", "SERVICE_UNKNOWN"};

grpc::ByteBuffer EncodeRequest(const std::string& service) {
  google::protobuf::UnknownFieldSet request;
  request.AddLengthDelimited(kFieldNumber, service);
  std::string bytes;
  request.SerializeToString(&bytes);
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

absl::StatusOr<uint64_t> DecodeStatus(grpc::ByteBuffer reply) {
  grpc::ProtoBufferReader reader(&reply);
  google::protobuf::UnknownFieldSet response;
  if (!response.ParseFromZeroCopyStream(&reader)) {
    return absl::InternalError("the reply is not a HealthCheckResponse");
  }
  uint64_t status = 0;  // proto3 leaves out a zero
  for (int i = 0; i < response.field_count(); ++i) {
    const google::protobuf::UnknownField& field = response.field(i);
    if (field.number() == kFieldNumber &&
        field.type() == google::protobuf::UnknownField::TYPE_VARINT) {
      status = field.varint();
    }
  }
  return status;
}

absl::Status Health(const CommonFlags& flags, const std::string& service) {
  ASSIGN_OR_RETURN(const auto channel, flags.OpenChannel());
  const double timeout = flags.timeout_seconds.value_or(kDefaultTimeoutSeconds);
  CallHeader header;
  header.method = "/grpc.health.v1.Health/Check";
  header.deadline = absl::Now() + absl::Seconds(timeout);
  Transport::Reply reply = absl::UnknownError("");
  absl::Notification done;
  UnaryCall::Start(MakeChannelTransport(channel), header, {.max = kMaxAttempts},
                   EncodeRequest(service), [&](Transport::Reply ended) {
                     reply = std::move(ended);
                     done.Notify();
                   });
  done.WaitForNotification();
  if (!reply.ok()) return FromServer(flags, reply.status());
  const auto status = DecodeStatus(*reply);
  if (!status.ok()) return FromServer(flags, status.status());
  const std::string name = *status < std::size(kStatusNames)
                               ? std::string(kStatusNames[*status])
                               : absl::StrCat("status ", *status);
  if (*status != kServing) {
    return absl::UnavailableError(
        absl::StrCat(flags.server, ": \"", service, "\" is ", name));
  }
  if (flags.PrintsJson()) {
    std::cout << "{\"status\":\"" << name << "\"}\n";
  } else {
    std::cout << name << "\n";
  }
  return absl::OkStatus();
}

}  // namespace

void AddHealthCommand(CLI::App& app, const CommonFlags& flags,
                      absl::Status& outcome) {
  CLI::App* command = app.add_subcommand(
      "health", "Exit 0 if the server answers that it serves");
  auto service = std::make_shared<std::string>();
  command
      ->add_option("--service", *service,
                   "liveness, readiness or a service's name; none: the server "
                   "as a whole")
      ->type_name("SERVICE");
  command->footer(
      "Example, in a Dockerfile:\n"
      "  HEALTHCHECK CMD [\"stridecast\", \"health\", \"--service\", "
      "\"liveness\"]");
  command->callback(
      [&flags, &outcome, service] { outcome = Health(flags, *service); });
}

}  // namespace stridecast
