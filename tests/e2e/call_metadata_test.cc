// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Metadata that calls bring along: what arrives, and what is refused because
// gRPC would end the process for it.

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/async_client.h"
#include "stridecast/async_stream_client.h"
#include "stridecast/client.h"
#include "stridecast/stream_client.h"
#include "tests/e2e/fake_transport.h"
#include "tests/e2e/generic_server.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A server that keeps what calls bring along, and refuses them.
class CapturingServer {
 public:
  CapturingServer()
      : server_([this](const grpc::GenericCallbackServerContext& context) {
          std::lock_guard lock(mutex_);
          metadata_.clear();
          for (const auto& [key, value] : context.client_metadata()) {
            metadata_[std::string(key.begin(), key.end())].emplace_back(
                value.begin(), value.end());
          }
          return new EchoReactor(
              grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "kept"));
        }) {}

  const std::string& target() const { return server_.target(); }
  // Of the last call.
  std::vector<std::string> Values(const std::string& key) {
    std::lock_guard lock(mutex_);
    return metadata_[key];
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> metadata_;
  GenericServer server_;
};

// The status of a call, in each form that a call can have.
using CallForm = absl::Status (*)(const Client&, const CallOptions&);
const CallForm kForms[] = {
    [](const Client& client, const CallOptions& options) {
      return client.GetServerInfo(options).status();
    },
    [](const Client& client, const CallOptions& options) {
      return AsyncClient(client).GetServerInfo(options).get().status();
    },
    [](const Client& client, const CallOptions& options) {
      const std::vector<float> buffer(6);
      std::vector<float> out(6);
      return StreamClient(client).ComputeInto(
          Doubling(), {*View(buffer, {2, 3})}, {*MutableView(out, {2, 3})},
          {.call = options});
    },
    [](const Client& client, const CallOptions& options) {
      const std::vector<float> buffer(6);
      return AsyncStreamClient(client)
          .Compute(Doubling(), {*View(buffer, {2, 3})}, {.call = options})
          .get()
          .status();
    }};

TEST(CallMetadataTest, ArrivesTheClientsBeforeTheCalls) {
  CapturingServer server;
  const std::string bytes("\0\xFF\n", 3);
  const Client client = Client::Connect(
      server.target(), {.metadata = {{"tenant", "a"}, {"both", "client"}}});
  for (const CallForm& call : kForms) {
    const absl::Status status =
        call(client, {.metadata = {{"both", "call"}, {"trace-bin", bytes}}});
    EXPECT_EQ(status.message(), "kept");
    EXPECT_THAT(server.Values("tenant"), ElementsAre("a"));
    EXPECT_THAT(server.Values("both"), ElementsAre("client", "call"));
    EXPECT_THAT(server.Values("trace-bin"), ElementsAre(bytes));
  }
  EXPECT_EQ(kForms[0](client, {}).message(), "kept");
  EXPECT_THAT(server.Values("both"), ElementsAre("client"));
}

TEST(CallMetadataTest, AllThatIsAllowedArrives) {
  CapturingServer server;
  const Client client = Client::Connect(server.target());
  const std::pair<std::string, std::string> kRows[] = {
      {"abc.d_e-0123456789", "~ printable !"},
      {"empty", ""},
      {"-bin", "no bytes: a key like others"},
      {"x-bin", std::string(300, '\0')},
      {"authorization", "Basic xyz"},
      {"traceparent",
       "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}};
  for (const auto& row : kRows) {
    for (const CallForm& call : kForms) {
      EXPECT_EQ(call(client, {.metadata = {row}}).message(), "kept")
          << row.first;
      EXPECT_THAT(server.Values(row.first), ElementsAre(row.second));
    }
  }
}

TEST(CallMetadataTest, WhatGrpcWouldEndTheProcessForIsRefused) {
  CapturingServer server;
  const struct {
    std::pair<std::string, std::string> metadata;
    const char* text;
  } kRows[] = {
      {{"", "value"}, "the key \"\" is not of lower-case letters"},
      {{"Tenant", "a"}, "the key \"Tenant\" is not of lower-case letters"},
      {{"a b", "a"}, "the key \"a b\""},
      {{":path", "/"}, "the key \":path\""},
      {{"k\xC3\xA4se", "a"}, "the key \"k\xC3\xA4se\""},
      {{"grpc-timeout", "1S"}, "digits and -_., or is gRPC's"},
      {{"a", "line\n"}, "the value of \"a\" is not printable ASCII"},
      {{"a", "\xC3\xA4"}, "keys of others end in -bin"},
      {{"a", std::string(1, '\0')}, "the value of \"a\""},
      {{"-bin", "\x01"}, "the value of \"-bin\""}};
  for (const auto& row : kRows) {
    for (const CallForm& call : kForms) {
      const Client fine = Client::Connect(server.target());
      const Client bad =
          Client::Connect(server.target(), {.metadata = {row.metadata}});
      for (const absl::Status& status :
           {call(fine, {.metadata = {row.metadata}}), call(bad, {})}) {
        EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
        EXPECT_THAT(status.message(), HasSubstr(row.text));
      }
    }
  }
}

// Keys that HTTP/2 or gRPC give a meaning: whatever comes of them, the process
// lives, and so does the connection.
TEST(CallMetadataTest, KeysOfHttpDoNoHarm) {
  CapturingServer server;
  const Client client = Client::Connect(server.target());
  for (const char* key :
       {"te", "content-type", "user-agent", "host", "connection", "trailer",
        "content-length", "stridecast-request-bytes", "lb-token"}) {
    for (const CallForm& call : kForms) {
      EXPECT_FALSE(call(client, {.metadata = {{key, "x"}}}).ok()) << key;
      EXPECT_EQ(call(client, {}).message(), "kept") << key;
    }
  }
}

}  // namespace
}  // namespace stridecast
