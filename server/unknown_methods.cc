// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/unknown_methods.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/status_codec.h"
#include "server/raw_service.h"

namespace stridecast {
namespace {

constexpr size_t kMaxShownBytes = 200;  // of a path

class Refusal final : public RawReactor, public AwaitingCall {
 public:
  static Refusal* Start(CallerWaits& waits,
                        grpc::GenericCallbackServerContext* context) {
    const auto call = std::make_shared<Refusal>();
    call->self_ = call;
    waits.Begin(call->wait_, call, context, std::nullopt);
    call->wait_.SetEnded();
    call->Finish(ToGrpcStatus(absl::UnimplementedError(absl::StrCat(
        "no method ",
        absl::Utf8SafeCEscape(context->method().substr(0, kMaxShownBytes))))));
    return call.get();
  }

 private:
  bool GiveUp(GivingUp) override { return false; }  // It has ended.
  void OnDone() override {
    wait_ = CallerWait();
    const std::shared_ptr<Refusal> self = std::move(self_);
  }

  std::shared_ptr<Refusal> self_;  // until OnDone
  CallerWait wait_;
};

}  // namespace

grpc::ServerGenericBidiReactor* UnknownMethods::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  return Refusal::Start(waits_, context);
}

}  // namespace stridecast
