// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/stream_client.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <variant>
#include <vector>

#include "proto/wire/stream_codec.h"
#include "tests/support/builders.h"

namespace stridecast::bench {
namespace {

constexpr int64_t kChunkBytes = int64_t{1} << 20;

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "ComputeStream: %s\n", what.c_str());
  std::exit(1);
}

// One write and one read are on their way at any time.
class AddOneStream {
 public:
  AddOneStream(const std::string& address, int64_t num_bytes)
      : num_bytes_(num_bytes),
        stub_(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())),
        call_(stub_.PrepareCall(
            &context_, "/stridecast.v1.TensorCompute/ComputeStream", &queue_)),
        chunk_(MakeChunk()) {}

  void Run() {
    call_->StartCall(TagOf(Event::kStarted));
    Wait(Event::kStarted);
    const int64_t elements = kChunkBytes / 4;
    call_->Write(
        EncodeStreamBegin(testing::Program(
            {testing::Desc(DType::kF32, {num_bytes_ / kChunkBytes, elements})},
            {testing::Op(Opcode::kConstant, {},
                         ConstantAttribute{testing::Desc(DType::kF32, {}),
                                           std::string("\0\0\x80\x3f", 4)}),
             testing::BinaryOp(Opcode::kAdd, 0, 1)})),
        TagOf(Event::kWritten));
    call_->Read(&incoming_, TagOf(Event::kRead));
    bool is_read = false;
    while (!is_read || !is_half_closed_) {
      bool ok;
      const Event event = Next(ok);
      if (event == Event::kWritten) {
        if (ok) {
          WriteMore();
        } else {
          is_half_closed_ = true;
        }
      } else if (!ok) {
        is_read = true;
      } else {
        TakeReply();
        call_->Read(&incoming_, TagOf(Event::kRead));
      }
    }
    grpc::Status status;
    call_->Finish(&status, TagOf(Event::kFinished));
    Wait(Event::kFinished);
    if (!status.ok()) Fail(status.error_message());
    if (received_ != num_bytes_) Fail("results are missing");
  }

 private:
  enum class Event : intptr_t { kStarted, kWritten, kRead, kFinished };

  static void* TagOf(Event event) { return reinterpret_cast<void*>(event); }

  static grpc::Slice MakeChunk() {
    std::vector<float> ones(kChunkBytes / 4, 1.0f);
    return grpc::Slice(ones.data(), ones.size() * 4);
  }

  Event Next(bool& ok) {
    void* tag;
    if (!queue_.Next(&tag, &ok)) Fail("the queue is shut down");
    return static_cast<Event>(reinterpret_cast<intptr_t>(tag));
  }
  void Wait(Event event) {
    bool ok;
    if (Next(ok) != event) Fail("out of order");
  }

  void WriteMore() {
    if (sent_ < num_bytes_) {
      call_->Write(EncodeStreamOperand(0, sent_, {&chunk_, 1}),
                   TagOf(Event::kWritten));
      sent_ += kChunkBytes;
    } else if (!is_closing_) {
      is_closing_ = true;
      call_->WritesDone(TagOf(Event::kWritten));
    } else {
      is_half_closed_ = true;
    }
  }

  void TakeReply() {
    const auto reply = DecodeStreamResponse(incoming_);
    if (!reply.ok()) Fail(reply.status().ToString());
    const auto* chunk = std::get_if<StreamChunk>(&*reply);
    if (chunk == nullptr) return;  // ready
    const int64_t size = chunk->data.size_bytes();
    float first = 0;
    float last = 0;
    chunk->data.CopyTo(0, 4, reinterpret_cast<std::byte*>(&first));
    chunk->data.CopyTo(size - 4, 4, reinterpret_cast<std::byte*>(&last));
    if (chunk->offset != received_ || first != 2 || last != 2) {
      Fail("a wrong result");
    }
    received_ += size;
  }

  const int64_t num_bytes_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  grpc::GenericStub stub_;
  const std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  const grpc::Slice chunk_;
  grpc::ByteBuffer incoming_;
  int64_t sent_ = 0;
  int64_t received_ = 0;
  bool is_closing_ = false;
  bool is_half_closed_ = false;
};

}  // namespace

double StreamAddOne(const std::string& address, int64_t num_bytes) {
  const auto start = std::chrono::steady_clock::now();
  AddOneStream(address, num_bytes).Run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace stridecast::bench
