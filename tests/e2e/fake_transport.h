// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Transports that a test plays, and the smallest program for them.

#ifndef STRIDECAST_TESTS_E2E_FAKE_TRANSPORT_H_
#define STRIDECAST_TESTS_E2E_FAKE_TRANSPORT_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "proto/wire/request_codec.h"
#include "stridecast/client.h"
#include "stridecast/program.h"
#include "stridecast/transport.h"

namespace stridecast {

// Answers each call before Call returns.
class FakeTransport : public Transport {
 public:
  using Handler =
      std::function<Reply(const CallHeader&, const grpc::ByteBuffer&)>;
  explicit FakeTransport(Handler handler) : handler_(std::move(handler)) {}

  void Call(const CallHeader& header, const grpc::ByteBuffer& request,
            std::function<void(Reply)> done) override {
    done(handler_(header, request));
  }
  std::unique_ptr<TransportStream> OpenStream(
      const CallHeader&, TransportStream::OnEvent) override {
    ADD_FAILURE() << "no stream is expected";
    return nullptr;
  }

 private:
  Handler handler_;
};

// Keeps each call until the test answers it. Thread-safe.
class HeldTransport : public Transport {
 public:
  struct HeldCall {
    CallHeader header;
    grpc::ByteBuffer request;
    std::function<void(Reply)> done;
  };

  void Call(const CallHeader& header, const grpc::ByteBuffer& request,
            std::function<void(Reply)> done) override {
    std::lock_guard lock(mutex_);
    calls_.push_back({header, request, std::move(done)});
    came_.notify_all();
  }
  std::unique_ptr<TransportStream> OpenStream(
      const CallHeader&, TransportStream::OnEvent) override {
    ADD_FAILURE() << "no stream is expected";
    return nullptr;
  }

  // The oldest call that was not taken yet; waits for it.
  HeldCall Take() {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [this] { return !calls_.empty(); });
    HeldCall call = std::move(calls_.front());
    calls_.pop_front();
    return call;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<HeldCall> calls_;
};

inline Client ClientOf(FakeTransport::Handler handler,
                       ClientOptions options = {}) {
  return Client(std::make_shared<FakeTransport>(std::move(handler)), options);
}

inline grpc::Slice SliceOf(const std::vector<float>& numbers) {
  return grpc::Slice(numbers.data(), numbers.size() * sizeof(float));
}

inline grpc::ByteBuffer ComputeReply(const TensorDesc& desc,
                                     const std::vector<float>& numbers) {
  const grpc::Slice payload = SliceOf(numbers);
  return EncodeReply(SpecSource::kCompute, {desc}, {Encoding::kRaw}, {payload});
}

// A program of one f32[2,3] operand and one result.
inline Signature Doubling(const PhysicalForm& form = {}) {
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("f32[2,3]"));
  b.Result(b.Add(x, x), form);
  return *b.Build();
}

template <typename Message>
grpc::ByteBuffer ToBuffer(const Message& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace stridecast

#endif  // STRIDECAST_TESTS_E2E_FAKE_TRANSPORT_H_
