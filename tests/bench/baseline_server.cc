// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the server is measured against, as programs of their own:
//   stridecast_baseline_server echo ADDRESS [CERTIFICATE KEY]
//       sends back the bytes of every message, of any method: what gRPC itself
//       costs, with our settings of heap and locks
//   stridecast_baseline_server generated ADDRESS [CERTIFICATE KEY]
//       Compute with protobuf's generated classes, whatever the program: x + 1
//       of one f32 operand, as a service is written in the usual way
//   stridecast_baseline_server generated-kept-heap ADDRESS [CERTIFICATE KEY]
//       the same with our settings
// Over TLS with the PEM files of a certificate and its key. One line on
// standard error says where it serves. SIGTERM ends it.

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "absl/synchronization/mutex.h"
#include "server/heap.h"
#include "server/listen_address.h"
#include "stridecast/v1/service.grpc.pb.h"

namespace stridecast::bench {
namespace {

// A message back as soon as it is there, uncopied.
class EchoReactor final : public grpc::ServerGenericBidiReactor {
 public:
  EchoReactor() { StartRead(&message_); }
  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status(grpc::StatusCode::CANCELLED, ""));
    StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
  }
  void OnDone() override { delete this; }

 private:
  grpc::ByteBuffer message_;
};

class EchoService final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext*) override {
    return new EchoReactor();
  }
};

class GeneratedService final : public v1::TensorCompute::CallbackService {
 public:
  grpc::ServerUnaryReactor* Compute(grpc::CallbackServerContext* context,
                                    const v1::ComputeRequest* request,
                                    v1::ComputeResponse* response) override {
    *response->add_results() = request->spec().operands(0);
    const std::string& from = request->payloads(0).raw();
    std::string* const to = response->add_payloads()->mutable_raw();
    to->resize(from.size());
    const size_t count = from.size() / sizeof(float);
    for (size_t i = 0; i < count; ++i) {
      float x;
      std::memcpy(&x, from.data() + i * sizeof(x), sizeof(x));
      x += 1;
      std::memcpy(to->data() + i * sizeof(x), &x, sizeof(x));
    }
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

std::string ReadFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Of the files of a certificate and its key, or none.
std::shared_ptr<grpc::ServerCredentials> Credentials(int count, char** files) {
  if (count == 0) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back(
      {/*private_key=*/ReadFile(files[1]), /*cert_chain=*/ReadFile(files[0])});
  return grpc::SslServerCredentials(options);
}

int Main(int argc, char** argv) {
  const std::string mode = argc == 3 || argc == 5 ? argv[1] : "";
  if (mode != "echo" && mode != "generated" && mode != "generated-kept-heap") {
    std::fputs(
        "usage: stridecast_baseline_server "
        "echo|generated|generated-kept-heap ADDRESS [CERTIFICATE KEY]\n",
        stderr);
    return 2;
  }
  if (mode != "generated") {
    KeepFreedMemory();
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  }
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  EchoService echo;
  GeneratedService generated;
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
  int port = 0;
  builder.AddListeningPort(argv[2], Credentials(argc - 3, argv + 3), &port);
  if (mode == "echo") {
    builder.RegisterCallbackGenericService(&echo);
  } else {
    builder.RegisterService(&generated);
  }
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    std::fprintf(stderr, "cannot listen on %s\n", argv[2]);
    return 1;
  }
  std::fprintf(stderr, "%s serves %s; no reflection\n", mode.c_str(),
               WithBoundPort(argv[2], port).c_str());
  int signal = 0;
  sigwait(&stop, &signal);
  server->Shutdown(std::chrono::system_clock::now());
  return 0;
}

}  // namespace
}  // namespace stridecast::bench

int main(int argc, char** argv) { return stridecast::bench::Main(argc, argv); }
