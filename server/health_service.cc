// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/health_service.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/small_stream.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

// A client that checks health watches once for each of its connections; a proxy
// brings those of many clients on a few.
constexpr int64_t kLeastShare = 16;
constexpr int64_t kConnectionsForAll = 16;
// For the request to come.
constexpr std::chrono::seconds kPatience(20);

absl::StatusOr<std::string> NameIn(const std::string& bytes) {
  HealthCheckRequest request;
  if (!request.ParseFromString(bytes)) {
    return FieldError("HealthCheckRequest", "the bytes are no message");
  }
  return std::move(*request.mutable_service());
}

}  // namespace

class HealthService::CheckCall final : public SmallStream {
 public:
  CheckCall(const HealthService& service, grpc::CallbackServerContext* context)
      : SmallStream(context, kPatience), service_(service) {}

 private:
  void OnRequest(const std::string& request) override {
    const absl::StatusOr<std::string> name = NameIn(request);
    if (!name.ok()) return End(name.status());
    HealthCheckResponse response;
    response.set_status(service_.StatusOf(*name));
    if (response.status() == HealthCheckResponse::SERVICE_UNKNOWN) {
      return End(service_.UnknownName(*name));
    }
    ReplyAndEnd(response);
  }
  absl::Status OnLastRequest() override { return NoMessageError(); }

  const HealthService& service_;
};

class HealthService::WatchCall final
    : public SmallStream,
      public std::enable_shared_from_this<WatchCall> {
 public:
  WatchCall(HealthService& service, grpc::CallbackServerContext* context)
      : SmallStream(context, kPatience), service_(service) {}

  ~WatchCall() override {
    absl::MutexLock lock(&service_.mutex_);
    service_.watchers_.erase(this);
  }

  // Tells the caller, unless it knows or is being told: then it is next.
  void Update() {
    absl::MutexLock lock(&telling_mutex_);
    const Status status = service_.StatusOf(name_);
    if (is_telling_ || told_ == status) return;
    is_telling_ = true;
    told_ = status;
    HealthCheckResponse response;
    response.set_status(status);
    Reply(response);
  }

 private:
  void OnRequest(const std::string& request) override {
    absl::StatusOr<std::string> name = NameIn(request);
    if (!name.ok()) return End(name.status());
    WaitForEver();
    name_ = *std::move(name);
    {
      absl::MutexLock lock(&service_.mutex_);
      service_.watchers_.emplace(this, weak_from_this());
    }
    Update();
  }
  void OnReplied() override {
    {
      absl::MutexLock lock(&telling_mutex_);
      is_telling_ = false;
    }
    Update();
  }
  absl::Status OnLastRequest() override { return NoMessageError(); }

  HealthService& service_;
  std::string name_;  // does not change once others know the call
  absl::Mutex telling_mutex_;
  bool is_telling_ ABSL_GUARDED_BY(telling_mutex_) = false;
  std::optional<Status> told_ ABSL_GUARDED_BY(telling_mutex_);
};

HealthService::HealthService(int64_t max_connections, HeldBytes* held)
    : HealthService(
          2 * max_connections,
          std::max(2 * max_connections / kConnectionsForAll, kLeastShare),
          held) {}

HealthService::HealthService(int64_t num_calls, int64_t share, HeldBytes* held)
    : checks_(num_calls, share, "calls of Check", held),
      watches_(num_calls, share, "calls of Watch", held) {
  AddRawMethod("/grpc.health.v1.Health/Check",
               [this](grpc::CallbackServerContext* context) {
                 return SmallStream::Start(
                     std::make_shared<CheckCall>(*this, context), checks_);
               });
  AddRawMethod("/grpc.health.v1.Health/Watch",
               [this](grpc::CallbackServerContext* context) {
                 return SmallStream::Start(
                     std::make_shared<WatchCall>(*this, context), watches_);
               });
}

void HealthService::SetServing(absl::string_view name, bool is_serving) {
  std::vector<std::shared_ptr<WatchCall>> watchers;
  {
    absl::MutexLock lock(&mutex_);
    is_serving_.insert_or_assign(std::string(name), is_serving);
    for (const auto& [_, watcher] : watchers_) {
      if (auto live = watcher.lock()) watchers.push_back(std::move(live));
    }
  }
  for (const std::shared_ptr<WatchCall>& watcher : watchers) watcher->Update();
}

HealthService::Status HealthService::StatusOf(const std::string& name) const {
  absl::MutexLock lock(&mutex_);
  const auto known = is_serving_.find(name);
  return known == is_serving_.end() ? HealthCheckResponse::SERVICE_UNKNOWN
         : known->second            ? HealthCheckResponse::SERVING
                                    : HealthCheckResponse::NOT_SERVING;
}

absl::Status HealthService::UnknownName(const std::string& name) const {
  absl::MutexLock lock(&mutex_);
  return absl::NotFoundError(absl::StrCat(
      "service: \"", absl::Utf8SafeCEscape(name), "\" is not known; known are ",
      absl::StrJoin(is_serving_, ", ", [](std::string* out, const auto& known) {
        absl::StrAppend(out, "\"", known.first, "\"");
      })));
}

}  // namespace stridecast
