// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A transport of streams whose server says what a test has written down, and
// the messages for it.

#ifndef STRIDECAST_TESTS_E2E_SCRIPTED_STREAM_H_
#define STRIDECAST_TESTS_E2E_SCRIPTED_STREAM_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proto/wire/stream_codec.h"
#include "stridecast/client.h"
#include "stridecast/program.h"
#include "stridecast/transport.h"

namespace stridecast {

// What a stream did, which the test may ask after its end.
struct StreamRecord {
  std::vector<std::string> sent;  // "begin", "0@8+16", "half-close"
  std::string operand_bytes;      // of all chunks, as they came
  CallHeader header;
  bool is_destroyed = false;
  // Whether messages are held on to, as gRPC may do beyond a call's end.
  bool keeps_messages = false;
  std::vector<grpc::ByteBuffer> kept;
};

// Takes what is written at once, within Write, and says its replies within Read
// or when `num_sent_before` messages were sent. Ends when all were said and the
// client has half-closed, or waits for a `ready` that does not come.
class ScriptedStream : public TransportStream {
 public:
  ScriptedStream(std::deque<grpc::ByteBuffer> replies, int num_sent_before,
                 absl::Status status, StreamRecord& record, OnEvent on_event)
      : replies_(std::move(replies)),
        has_ready_(!replies_.empty()),
        num_sent_before_(num_sent_before),
        status_(std::move(status)),
        record_(record),
        on_event_(std::move(on_event)) {}
  ~ScriptedStream() override {
    EXPECT_TRUE(has_ended_);
    record_.is_destroyed = true;
  }

  void Write(grpc::ByteBuffer message) override {
    EXPECT_FALSE(is_closed_);
    Note(message);
    if (record_.keeps_messages) record_.kept.push_back(std::move(message));
    on_event_(Event::kWritten, {});
    Reply();
  }
  void HalfClose() override {
    EXPECT_FALSE(is_closed_);
    is_closed_ = true;
    record_.sent.push_back("half-close");
    on_event_(Event::kWritten, {});
    Reply();
  }
  void Read() override {
    EXPECT_FALSE(is_reading_) << "while another waits";
    is_reading_ = true;
    Reply();
  }
  void Cancel() override { End(); }
  absl::Status status() const override { return status_; }

 private:
  void Note(const grpc::ByteBuffer& message) {
    const auto event = DecodeStreamRequest(message);
    ASSERT_TRUE(event.ok()) << event.status();
    const auto* chunk = std::get_if<StreamChunk>(&*event);
    if (chunk == nullptr) return record_.sent.push_back("begin");
    std::string bytes(static_cast<size_t>(chunk->data.size_bytes()), 0);
    chunk->data.CopyTo(0, chunk->data.size_bytes(),
                       reinterpret_cast<std::byte*>(bytes.data()));
    record_.operand_bytes += bytes;
    record_.sent.push_back(
        absl::StrCat(chunk->index, "@", chunk->offset, "+", bytes.size()));
  }

  void Reply() {
    if (!is_reading_) return;
    const int num_sent = static_cast<int>(record_.sent.size());
    // `ready`, without which nothing is sent, does not wait.
    const bool is_time = !has_replied_ || num_sent >= num_sent_before_;
    if (!replies_.empty() && is_time) {
      is_reading_ = false;
      has_replied_ = true;
      grpc::ByteBuffer message = std::move(replies_.front());
      replies_.pop_front();
      on_event_(Event::kRead, std::move(message));
    } else if (is_closed_ || !has_ready_) {
      End();
    }
  }

  void End() {
    if (!std::exchange(has_ended_, true)) on_event_(Event::kEnded, {});
  }

  std::deque<grpc::ByteBuffer> replies_;
  const bool has_ready_;
  const int num_sent_before_;
  const absl::Status status_;
  StreamRecord& record_;
  const OnEvent on_event_;
  bool is_reading_ = false;
  bool has_replied_ = false;
  bool is_closed_ = false;
  bool has_ended_ = false;
};

class ScriptedTransport : public Transport {
 public:
  ScriptedTransport(std::deque<grpc::ByteBuffer> replies, StreamRecord& record,
                    absl::Status status, int num_sent_before)
      : replies_(std::move(replies)),
        record_(record),
        status_(std::move(status)),
        num_sent_before_(num_sent_before) {}

  void Call(const CallHeader&, const grpc::ByteBuffer&,
            std::function<void(Reply)> done) override {
    ADD_FAILURE() << "no call is expected";
    done(absl::InternalError(""));
  }
  std::unique_ptr<TransportStream> OpenStream(
      const CallHeader& header, TransportStream::OnEvent on_event) override {
    record_.header = header;
    return std::make_unique<ScriptedStream>(replies_, num_sent_before_, status_,
                                            record_, std::move(on_event));
  }

 private:
  std::deque<grpc::ByteBuffer> replies_;
  StreamRecord& record_;
  const absl::Status status_;
  const int num_sent_before_;
};

inline Client ClientOfReplies(std::deque<grpc::ByteBuffer> replies,
                              StreamRecord& record,
                              absl::Status status = absl::OkStatus(),
                              int num_sent_before = 0) {
  return Client(std::make_shared<ScriptedTransport>(
      std::move(replies), record, std::move(status), num_sent_before));
}

struct Planned {
  bool is_streamed = true;
  int64_t begin = 0;
  int64_t end = 24;
};

// `ready` for tensors of f32[2,3].
inline grpc::ByteBuffer Ready(const std::vector<Planned>& operands,
                              int num_results, int64_t chunk_bytes) {
  v1::Plan plan;
  const auto describe = [](v1::TensorPlan* tensor) {
    tensor->mutable_desc()->set_type(v1::F32);
    tensor->mutable_desc()->add_dimensions(2);
    tensor->mutable_desc()->add_dimensions(3);
    tensor->set_size_bytes(24);
  };
  for (const Planned& planned : operands) {
    v1::TensorPlan* operand = plan.add_operands();
    describe(operand);
    if (!planned.is_streamed) continue;
    operand->set_streaming(v1::TensorPlan::STREAMED);
    operand->set_stream_begin(planned.begin);
    operand->set_stream_end(planned.end);
  }
  for (int i = 0; i < num_results; ++i) describe(plan.add_results());
  plan.set_max_chunk_bytes(chunk_bytes);
  return EncodeStreamReady(plan);
}

inline grpc::ByteBuffer Result(uint32_t index, int64_t offset,
                               size_t num_bytes) {
  return EncodeStreamResult(index, offset,
                            grpc::Slice(std::string(num_bytes, 'r')));
}

// A program of `count` f32[2,3] operands: their sum.
inline Signature Sum(int count) {
  ProgramBuilder b;
  Value sum = b.Parameter(*ParseShapeString("f32[2,3]"));
  for (int i = 1; i < count; ++i) {
    const Value next = b.Parameter(*ParseShapeString("f32[2,3]"));
    sum = b.Add(sum, next);
  }
  b.Result(sum);
  return *b.Build();
}

}  // namespace stridecast

#endif  // STRIDECAST_TESTS_E2E_SCRIPTED_STREAM_H_
