// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Messages are sent and received as ByteBuffers through a generic stub:
// protobuf never copies a payload.

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/generic/generic_stub.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/status_codec.h"
#include "stridecast/transport.h"

namespace stridecast {
namespace {

class ChannelTransport : public Transport {
 public:
  explicit ChannelTransport(std::shared_ptr<grpc::Channel> channel)
      : stub_(std::move(channel)) {}

  absl::StatusOr<grpc::ByteBuffer> Call(
      const CallHeader& header, const grpc::ByteBuffer& request) override {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(header.deadline));
    context.set_wait_for_ready(header.wait_for_ready);
    // So that a server without room says so before the message is sent.
    context.AddMetadata(kRequestBytesKey, absl::StrCat(request.Length()));
    grpc::ByteBuffer reply;
    grpc::Status status;
    absl::Notification done;
    stub_.UnaryCall(&context, header.method, {}, &request, &reply,
                    [&status, &done](grpc::Status ended) {
                      status = std::move(ended);
                      done.Notify();
                    });
    done.WaitForNotification();
    if (!status.ok()) return FromGrpcStatus(status);
    return reply;
  }

 private:
  grpc::GenericStub stub_;
};

}  // namespace

std::shared_ptr<Transport> MakeChannelTransport(
    std::shared_ptr<grpc::Channel> channel) {
  return std::make_shared<ChannelTransport>(std::move(channel));
}

}  // namespace stridecast
