// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Calls that wait for messages on real connections, which a test says that
// bytes came on.

#ifndef STRIDECAST_TESTS_SERVICE_WAITING_CALLS_H_
#define STRIDECAST_TESTS_SERVICE_WAITING_CALLS_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "server/caller_waits.h"
#include "server/held_bytes.h"
#include "server/raw_service.h"
#include "tests/service/service_testing.h"
#include "tests/service/unsent_call.h"

namespace stridecast::testing {

class WaitingCalls {
 public:
  explicit WaitingCalls(const std::string& address = "127.0.0.1:0")
      : held_([this](const auto* peers) { return Received(peers); }),
        waits_(&held_),
        service_(this) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    target_ =
        address == "127.0.0.1:0" ? absl::StrCat("127.0.0.1:", port) : address;
  }

  ~WaitingCalls() {
    EndAll();
    clients_.clear();
    server_->Shutdown(std::chrono::system_clock::now());
  }

  HeldBytes& held() { return held_; }
  CallerWaits& all() { return waits_; }

  // A call on connection number `connection`; its number.
  int Add(int connection, const CallerWait::Limits& limits = {}) {
    {
      const std::scoped_lock lock(mutex_);
      limits_ = limits;
    }
    while (channels_.size() <= static_cast<size_t>(connection)) {
      grpc::ChannelArguments own_connection;
      own_connection.SetInt("connection", static_cast<int>(channels_.size()));
      channels_.push_back(grpc::CreateCustomChannel(
          target_, grpc::InsecureChannelCredentials(), own_connection));
    }
    const size_t number = num_calls();
    clients_.push_back(std::make_unique<UnsentCall>(
        channels_[static_cast<size_t>(connection)], std::nullopt, kPath));
    EXPECT_TRUE(WaitUntil([&] { return num_calls() > number; }));
    const std::scoped_lock lock(mutex_);
    peers_.resize(std::max(peers_.size(), static_cast<size_t>(connection) + 1));
    peers_[static_cast<size_t>(connection)] = calls_[number]->peer();
    return static_cast<int>(number);
  }
  void Add(int connection, int count, const CallerWait::Limits& limits) {
    for (int i = 0; i < count; ++i) Add(connection, limits);
  }

  // In all.
  void SetReceived(int connection, int64_t bytes) {
    const std::scoped_lock lock(mutex_);
    received_[peers_[static_cast<size_t>(connection)]] = bytes;
  }
  // On a connection that no call came on.
  void SetReceivedFrom(const std::string& peer, int64_t bytes) {
    const std::scoped_lock lock(mutex_);
    received_[peer] = bytes;
  }
  void Deliver(int call, int64_t bytes) {
    const std::scoped_lock lock(mutex_);
    calls_[static_cast<size_t>(call)]->wait().Deliver(bytes);
  }
  void SetEnded(int call) {
    const std::scoped_lock lock(mutex_);
    calls_[static_cast<size_t>(call)]->wait().SetEnded();
  }
  void SetLate(int call, CallerWait::Time late_at) {
    const std::scoped_lock lock(mutex_);
    calls_[static_cast<size_t>(call)]->wait().SetLate(late_at);
  }
  HeldBytes::Call& held(int call) {
    const std::scoped_lock lock(mutex_);
    return *calls_[static_cast<size_t>(call)]->wait().held();
  }
  bool was_stuck(int call) {
    const std::scoped_lock lock(mutex_);
    return calls_[static_cast<size_t>(call)]->wait().was_stuck();
  }
  void End(int call) {
    const std::scoped_lock lock(mutex_);
    calls_[static_cast<size_t>(call)]->wait() = CallerWait();
  }
  // From now on those that are told to give up take their time.
  void Linger() {
    const std::scoped_lock lock(mutex_);
    linger_ = true;
  }
  // As gRPC calls it.
  std::string peer(int connection) {
    const std::scoped_lock lock(mutex_);
    return peers_[static_cast<size_t>(connection)];
  }
  // The numbers of those that were told to, in that order.
  std::vector<int> given_up() {
    const std::scoped_lock lock(mutex_);
    return given_up_;
  }

 private:
  static constexpr char kPath[] = "/test/Wait";

  class Call final : public RawReactor, public AwaitingCall {
   public:
    Call(WaitingCalls* calls, int number, grpc::CallbackServerContext* context)
        : calls_(calls), number_(number), peer_(context->peer()) {}
    const std::string& peer() const { return peer_; }
    CallerWait& wait() { return wait_; }
    bool GiveUp(GivingUp why) override {
      EXPECT_EQ(why, GivingUp::kShortMemory);
      const std::scoped_lock lock(calls_->mutex_);
      calls_->given_up_.push_back(number_);
      if (!calls_->linger_) wait_ = CallerWait();
      return true;
    }
    void OnDone() override { self.reset(); }
    std::shared_ptr<Call> self;

   private:
    WaitingCalls* const calls_;
    const int number_;
    const std::string peer_;
    CallerWait wait_;
  };

  class Service final : public RawService {
   public:
    explicit Service(WaitingCalls* calls) {
      AddRawMethod(kPath, [calls](grpc::CallbackServerContext* context) {
        return calls->Start(context);
      });
    }
  };

  RawReactor* Start(grpc::CallbackServerContext* context) {
    const std::scoped_lock lock(mutex_);
    auto call =
        std::make_shared<Call>(this, static_cast<int>(calls_.size()), context);
    call->self = call;
    waits_.Begin(call->wait(), call, context, limits_);
    calls_.push_back(call);
    return call.get();
  }

  size_t num_calls() {
    const std::scoped_lock lock(mutex_);
    return calls_.size();
  }

  absl::flat_hash_map<std::string, int64_t> Received(
      const absl::flat_hash_set<std::string>* peers) {
    const std::scoped_lock lock(mutex_);
    absl::flat_hash_map<std::string, int64_t> asked;
    for (const auto& [peer, bytes] : received_) {
      if (peers == nullptr || peers->contains(peer)) asked[peer] = bytes;
    }
    return asked;
  }

  void EndAll() {
    const std::scoped_lock lock(mutex_);
    for (const auto& call : calls_) {
      call->wait() = CallerWait();
      call->Finish(grpc::Status::OK);
    }
  }

  HeldBytes held_;
  CallerWaits waits_;
  Service service_;
  std::string target_;
  std::unique_ptr<grpc::Server> server_;
  std::mutex mutex_;
  CallerWait::Limits limits_;  // of calls that come
  std::vector<std::shared_ptr<Call>> calls_;
  std::vector<std::string> peers_;
  absl::flat_hash_map<std::string, int64_t> received_;
  std::vector<int> given_up_;
  bool linger_ = false;
  std::vector<std::shared_ptr<grpc::Channel>> channels_;
  std::vector<std::unique_ptr<UnsentCall>> clients_;
};

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SERVICE_WAITING_CALLS_H_
