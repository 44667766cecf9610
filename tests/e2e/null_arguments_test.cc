// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Null pointers and empty functions, in every form of a call: an error before
// anything is sent, and never an end of the process.

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/async_client.h"
#include "stridecast/async_stream_client.h"
#include "stridecast/client.h"
#include "stridecast/stream_client.h"
#include "tests/e2e/fake_transport.h"

namespace stridecast {
namespace {

// Fails the test for each call and stream.
Client UnusedClient() {
  return ClientOf([](const CallHeader&, const grpc::ByteBuffer&) {
    ADD_FAILURE() << "called";
    return absl::InternalError("");
  });
}

class NullArgumentsTest : public ::testing::Test {
 protected:
  // Every form of a call that takes `operand` and gives into `result`.
  std::vector<absl::Status> CallAll(const Client& client,
                                    const TensorView& operand,
                                    const MutableTensorView& result) {
    const AsyncClient async(client);
    const StreamClient stream(client);
    const AsyncStreamClient async_stream(client);
    const PreparedCompute prepared(Doubling(), {result.desc});
    return {client.ComputeInto(Doubling(), {operand}, {result}),
            client.ComputeInto(prepared, {operand}, {result}),
            client.RelayoutInto(operand, result),
            async.ComputeInto(Doubling(), {operand}, {result}).get(),
            async.ComputeInto(prepared, {operand}, {result}).get(),
            async.RelayoutInto(operand, result).get(),
            stream.ComputeInto(Doubling(), {operand}, {result}),
            stream.RelayoutInto(operand, result),
            async_stream.ComputeInto(Doubling(), {operand}, {result}).get(),
            async_stream.RelayoutInto(operand, result).get()};
  }
  // Those whose results are owned or go to functions.
  std::vector<absl::Status> CallAllWithout(const Client& client,
                                           const TensorView& operand) {
    const AsyncClient async(client);
    const StreamClient stream(client);
    const AsyncStreamClient async_stream(client);
    return {client.Compute(Doubling(), {operand}).status(),
            client.Compute(PreparedCompute(Doubling()), {operand}).status(),
            client.Relayout(operand, {}).status(),
            async.Compute(Doubling(), {operand}).get().status(),
            async.Relayout(operand, {}).get().status(),
            stream.Compute(Doubling(), {operand}).status(),
            stream.Compute(Doubling(), {operand}, {write_}),
            stream.Relayout(operand, {}).status(),
            async_stream.Compute(Doubling(), {operand}).get().status(),
            async_stream.Compute(Doubling(), {operand}, {write_}).get(),
            async_stream.Relayout(operand, {}).get().status()};
  }
  static void ExpectAll(const std::vector<absl::Status>& statuses,
                        const std::string& text) {
    for (size_t i = 0; i < statuses.size(); ++i) {
      EXPECT_EQ(statuses[i], absl::InvalidArgumentError(text)) << i;
    }
  }

  const std::vector<float> in_ = std::vector<float>(6);
  std::vector<float> out_ = std::vector<float>(6);
  const TensorView operand_ = *View(in_, {2, 3});
  const MutableTensorView result_ = *MutableView(out_, {2, 3});
  const ReadBytes read_ = [](int64_t, absl::Span<std::byte>) {
    return absl::OkStatus();
  };
  const WriteBytes write_ = [](int64_t, absl::Span<const std::byte>) {
    return absl::OkStatus();
  };
};

TEST_F(NullArgumentsTest, DataOfOperandsAndResults) {
  const Client client = UnusedClient();
  const TensorView no_operand{operand_.desc, nullptr};
  const MutableTensorView no_result{result_.desc, nullptr};
  const std::string text = ": data is null, of f32[2,3]{1,0}, 24 bytes";
  ExpectAll(CallAll(client, no_operand, result_), "operand 0" + text);
  ExpectAll(CallAllWithout(client, no_operand), "operand 0" + text);
  ExpectAll(CallAll(client, operand_, no_result), "result 0" + text);
}

TEST_F(NullArgumentsTest, ATensorThatWasMovedFrom) {
  OwnedTensor tensor = *OwnedTensor::Allocate(operand_.desc);
  const OwnedTensor taken = std::move(tensor);
  for (const absl::Status& status :
       CallAllWithout(UnusedClient(), tensor.view())) {  // NOLINT
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  }
}

TEST_F(NullArgumentsTest, FunctionsOfStreams) {
  const Client client = UnusedClient();
  const StreamClient stream(client);
  const AsyncStreamClient async(client);
  const ReadBytes no_read;
  const WriteBytes no_write;
  ExpectAll({stream.Compute(Doubling(), {no_read}, {write_}),
             async.Compute(Doubling(), {no_read}, {write_}).get()},
            "operand 0: its function is empty");
  ExpectAll({stream.Compute(Doubling(), {read_}, {no_write}),
             stream.Compute(Doubling(), {operand_}, {no_write}),
             async.Compute(Doubling(), {read_}, {no_write}).get(),
             async.Compute(Doubling(), {operand_}, {no_write}).get()},
            "result 0: its function is empty");
}

// Nobody wants to know how it ends.
TEST_F(NullArgumentsTest, FunctionsAtTheEnd) {
  const Client client = ClientOf(
      [](const CallHeader&, const grpc::ByteBuffer&) -> Transport::Reply {
        return absl::UnimplementedError("");
      });
  const AsyncClient async(client);
  const AsyncStreamClient stream(client);
  const AsyncClient::Done<absl::Status> no_status;
  async.Compute(Doubling(), {operand_},
                AsyncClient::Done<AsyncClient::Results>());
  async.ComputeInto(Doubling(), {operand_}, {result_}, no_status);
  async.GetServerInfo(AsyncClient::Done<absl::StatusOr<ServerInfo>>());
  stream.ComputeInto(Doubling(), {}, {result_}, no_status);
  stream.Compute(Doubling(), std::vector<TensorView>(),
                 AsyncClient::Done<AsyncClient::Results>());
}

TEST_F(NullArgumentsTest, ChannelsAndTransports) {
  const std::string text = "the client was given a null channel";
  for (const Client& client : {Client(std::shared_ptr<grpc::Channel>()),
                               Client(std::shared_ptr<Transport>())}) {
    ExpectAll(CallAll(client, operand_, result_), text);
    ExpectAll(CallAllWithout(client, operand_), text);
    ExpectAll(
        {client.Explain(Doubling()).status(), client.GetServerInfo().status(),
         StreamClient(client).Compute(Doubling(), {read_}, {write_})},
        text);
  }
}

}  // namespace
}  // namespace stridecast
