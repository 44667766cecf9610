// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A server that knows no messages: what it does with a call, the test says.

#ifndef STRIDECAST_TESTS_E2E_GENERIC_SERVER_H_
#define STRIDECAST_TESTS_E2E_GENERIC_SERVER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"

namespace stridecast {

using Reactor = grpc::ServerGenericBidiReactor;

// Reads a message, then sends it back and ends, or only ends with `status`.
class EchoReactor : public Reactor {
 public:
  explicit EchoReactor(grpc::Status status) : status_(std::move(status)) {
    StartRead(&message_);
  }
  void OnReadDone(bool ok) override {
    if (!ok || !status_.ok()) return Finish(status_);
    StartWriteAndFinish(&message_, grpc::WriteOptions(), status_);
  }
  void OnDone() override { delete this; }

 private:
  grpc::Status status_;
  grpc::ByteBuffer message_;
};

// Never reads and never answers.
class DeafReactor : public Reactor {
 public:
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }
};

class GenericServer {
 public:
  using MakeReactor =
      std::function<Reactor*(const grpc::GenericCallbackServerContext&)>;

  // Listens on a free port of loopback, or at `address`.
  explicit GenericServer(MakeReactor make_reactor,
                         std::shared_ptr<grpc::ServerCredentials> credentials =
                             grpc::InsecureServerCredentials(),
                         const std::string& address = "127.0.0.1:0")
      : service_(std::move(make_reactor)) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(address, std::move(credentials), &port);
    builder.RegisterCallbackGenericService(&service_);
    builder.SetMaxReceiveMessageSize(-1);
    server_ = builder.BuildAndStart();
    target_ = absl::EndsWith(address, ":0") ? absl::StrCat("127.0.0.1:", port)
                                            : address;
  }
  ~GenericServer() { server_->Shutdown(std::chrono::system_clock::now()); }

  const std::string& target() const { return target_; }

 private:
  class Service : public grpc::CallbackGenericService {
   public:
    explicit Service(MakeReactor make_reactor)
        : make_reactor_(std::move(make_reactor)) {}

   private:
    Reactor* CreateReactor(
        grpc::GenericCallbackServerContext* context) override {
      return make_reactor_(*context);
    }
    MakeReactor make_reactor_;
  };

  Service service_;
  std::unique_ptr<grpc::Server> server_;
  std::string target_;
};

}  // namespace stridecast

#endif  // STRIDECAST_TESTS_E2E_GENERIC_SERVER_H_
