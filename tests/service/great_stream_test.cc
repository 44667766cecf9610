// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// An operand that no message and no buffer holds, made and compared as it
// flows.

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "grpc/grpc.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "proto/wire/stream_codec.h"
#include "tests/service/service_testing.h"
#include "tests/service/stream_testing.h"
#include "tests/support/builders.h"

namespace stridecast::testing {
namespace {

// After so many bytes they repeat. A prime: what is displaced by 2^31, a chunk
// or a round is wrong.
constexpr int64_t kPeriodBytes = 1'000'003;

// Byte i of a tensor, for any i, is that of i % kPeriodBytes.
class Pattern {
 public:
  explicit Pattern(uint8_t added) : bytes_(kPeriodBytes + kMaxChunkBytes, 0) {
    std::mt19937 random(20260101);
    for (int64_t i = 0; i < kPeriodBytes; ++i) {
      At(i) = static_cast<char>(random() + added);
    }
    for (int64_t i = kPeriodBytes; i < kPeriodBytes + kMaxChunkBytes; ++i) {
      At(i) = At(i - kPeriodBytes);
    }
  }

  // At most kMaxChunkBytes.
  absl::string_view View(int64_t offset, int64_t count) const {
    return absl::string_view(bytes_).substr(
        static_cast<size_t>(offset % kPeriodBytes), static_cast<size_t>(count));
  }

 private:
  char& At(int64_t i) { return bytes_[static_cast<size_t>(i)]; }

  std::string bytes_;
};

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all_pages = 0;
  int64_t resident_pages = 0;
  file >> all_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

// x + 7 on u8[num_bytes]. One write and one read are on their way at any time,
// and the operand is sent from where it lies.
class AddSevenStream {
 public:
  AddSevenStream(TestServer& server, int64_t num_bytes)
      : num_bytes_(num_bytes),
        stub_(server.channel()),
        call_(stub_.PrepareCall(
            &context_, "/stridecast.v1.TensorCompute/ComputeStream", &queue_)) {
  }

  absl::Status Run() {
    context_.set_deadline(SecondsFromNow(300));
    call_->StartCall(TagOf(Event::kStarted));
    bool ok;
    Next(ok);
    call_->Write(
        EncodeStreamBegin(Program(
            {Desc(DType::kU8, {num_bytes_})},
            {Op(Opcode::kConstant, {},
                ConstantAttribute{Desc(DType::kU8, {}), std::string("\7")}),
             BinaryOp(Opcode::kAdd, 0, 1)})),
        TagOf(Event::kWritten));
    call_->Read(&incoming_, TagOf(Event::kRead));
    bool has_written = false;
    bool has_read = false;
    while (!has_written || !has_read) {
      const Event event = Next(ok);
      if (event == Event::kWritten) {
        has_written = !ok || !WriteMore();
      } else if (ok) {
        TakeReply();
        call_->Read(&incoming_, TagOf(Event::kRead));
      } else {
        has_read = true;
      }
    }
    grpc::Status status;
    call_->Finish(&status, TagOf(Event::kFinished));
    Next(ok);
    return FromGrpcStatus(status);
  }

  const v1::Plan& plan() const { return plan_; }
  int64_t received_bytes() const { return received_bytes_; }
  // Of a chunk of the result that is not what it should be; -1 if none.
  int64_t first_wrong() const { return first_wrong_; }
  int64_t peak_resident_bytes() const { return peak_resident_bytes_; }

 private:
  enum class Event : intptr_t { kStarted, kWritten, kRead, kFinished };

  static void* TagOf(Event event) { return reinterpret_cast<void*>(event); }

  Event Next(bool& ok) {
    void* tag = nullptr;
    EXPECT_TRUE(queue_.Next(&tag, &ok));
    return static_cast<Event>(reinterpret_cast<intptr_t>(tag));
  }

  // False if there is no more.
  bool WriteMore() {
    if (sent_bytes_ == num_bytes_) {
      if (is_half_closed_) return false;
      is_half_closed_ = true;
      call_->WritesDone(TagOf(Event::kWritten));
      return true;
    }
    const int64_t count = std::min(kMaxChunkBytes, num_bytes_ - sent_bytes_);
    const absl::string_view bytes = operand_.View(sent_bytes_, count);
    const grpc::Slice data(bytes.data(), bytes.size(),
                           grpc::Slice::STATIC_SLICE);
    call_->Write(EncodeStreamOperand(0, sent_bytes_, {&data, 1}),
                 TagOf(Event::kWritten));
    sent_bytes_ += count;
    return true;
  }

  void TakeReply() {
    auto reply = DecodeStreamResponse(incoming_);
    ASSERT_TRUE(reply.ok()) << reply.status();
    if (auto* plan = std::get_if<v1::Plan>(&*reply)) {
      plan_ = std::move(*plan);
      return;
    }
    const auto& chunk = std::get<StreamChunk>(*reply);
    bool is_right = chunk.offset == received_bytes_;
    int64_t at = received_bytes_;
    for (const Segment& segment : chunk.data.segments()) {
      const absl::string_view received(
          reinterpret_cast<const char*>(segment.data),
          static_cast<size_t>(segment.size_bytes));
      is_right &= received == result_.View(at, segment.size_bytes);
      at += segment.size_bytes;
    }
    if (!is_right && first_wrong_ < 0) first_wrong_ = received_bytes_;
    // Every 64 MiB, of chunks of a MiB.
    if (received_bytes_ >> 26 != at >> 26) {
      peak_resident_bytes_ = std::max(peak_resident_bytes_, ResidentBytes());
    }
    received_bytes_ = at;
  }

  const int64_t num_bytes_;
  const Pattern operand_{0};
  const Pattern result_{7};
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  grpc::GenericStub stub_;
  const std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer incoming_;
  v1::Plan plan_;
  int64_t sent_bytes_ = 0;
  bool is_half_closed_ = false;
  int64_t received_bytes_ = 0;
  int64_t first_wrong_ = -1;
  int64_t peak_resident_bytes_ = 0;
};

TEST(GreatStreamTest, OperandOfMoreThanTwoGibibytes) {
  constexpr int64_t num_bytes = (int64_t{1} << 31) + 4'099;
  // Else the server's end is that of all gRPC, which waits for up to 10 s for a
  // thread that polled for a write.
  grpc_init();
  TestServer server;
  const int64_t resident_bytes = ResidentBytes();
  AddSevenStream stream(server, num_bytes);
  const absl::Status status = stream.Run();
  EXPECT_EQ(status, absl::OkStatus());
  EXPECT_EQ(stream.plan().operands(0).streaming(), v1::TensorPlan::STREAMED);
  EXPECT_EQ(stream.plan().operands(0).size_bytes(), num_bytes);
  EXPECT_EQ(stream.received_bytes(), num_bytes);
  EXPECT_EQ(stream.first_wrong(), -1);
  RecordProperty(
      "grown_mib",
      absl::StrCat((stream.peak_resident_bytes() - resident_bytes) / kMiB));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Of both ends of the connection, and what their heap keeps.
  EXPECT_LT(stream.peak_resident_bytes(), resident_bytes + 512 * kMiB);
#endif
}

}  // namespace
}  // namespace stridecast::testing
