// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// TLS, client certificates and tokens between our client and our server, while
// the files change; channelz beside them. As grpcurl meets them:
// secure_grpcurl_test.sh.

#include <fcntl.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "server/owned_fd.h"
#include "stridecast/channel.h"
#include "stridecast/client.h"
#include "stridecast/layouts.h"
#include "stridecast/tensor_view.h"
#include "tests/service/raw_socket.h"
#include "tests/support/certificates.h"
#include "tests/support/http2_bytes.h"
#include "tests/support/server_process.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Connects at once, and begins with TLS when it is told to.
class LateClient {
 public:
  explicit LateClient(const std::string& address)
      : connection_(ConnectTo(address)) {
    EXPECT_TRUE(connection_.is_open());
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    setsockopt(connection_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience,
               sizeof(patience));
  }

  // Whether a GOAWAY comes before ten seconds pass without a word.
  bool IsToldToLeave() {
    static constexpr unsigned char kHttp2[] = {2, 'h', '2'};
    SSL_set_alpn_protos(tls_.get(), kHttp2, sizeof(kHttp2));
    SSL_set_fd(tls_.get(), connection_.get());
    const std::string greeting =
        http2::kPreface + http2::Frame(http2::kSettings, 0, 0, "");
    if (SSL_connect(tls_.get()) != 1 ||
        SSL_write(tls_.get(), greeting.data(),
                  static_cast<int>(greeting.size())) <= 0) {
      return false;
    }
    for (std::string frames;;) {
      const size_t length = http2::WholeFrameBytes(frames);
      if (length == 0) {
        char bytes[4096];
        const int count = SSL_read(tls_.get(), bytes, sizeof(bytes));
        if (count <= 0) return false;
        frames.append(bytes, static_cast<size_t>(count));
        continue;
      }
      if (static_cast<uint8_t>(frames[3]) == http2::kGoAway) return true;
      frames.erase(0, length);
    }
  }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* tls) const { SSL_free(tls); }
  };
  const OwnedFd connection_;
  const std::unique_ptr<SSL_CTX, Free> context_{SSL_CTX_new(TLS_method())};
  const std::unique_ptr<SSL, Free> tls_{SSL_new(context_.get())};
};

class SecureServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!made_.are_made()) GTEST_SKIP() << "needs openssl";
    std::filesystem::create_directory(folder_);
    WriteIdentity("server");
  }
  ~SecureServerTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const {
    return folder_ + "/" + name;
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
  }
  void WriteIdentity(const std::string& name) const {
    Write("server.key", made_.Key(name));
    Write("server.pem", made_.Pem(name));
  }

  void Start(std::vector<std::string> flags) {
    flags.insert(flags.end(),
                 {"--listen=127.0.0.1:0", "--metrics-listen=off",
                  "--drain-delay-seconds=0", "--credentials-refresh-seconds=1",
                  "--tls-certificate=" + Path("server.pem"),
                  "--tls-private-key=" + Path("server.key")});
    server_.emplace(STRIDECAST_SERVER_PROGRAM, flags);
    address_ = server_->WaitForAddress();
    ASSERT_NE(address_, "") << server_->err();
  }

  ChannelOptions Trusting(const std::string& authority) const {
    ChannelOptions options;
    options.tls.emplace();
    options.tls->root_certificates = made_.Pem(authority);
    return options;
  }
  ChannelOptions Showing(const std::string& name) const {
    ChannelOptions options = Trusting("ca");
    options.tls->certificate_chain = made_.Pem(name);
    options.tls->private_key = made_.Key(name);
    return options;
  }

  // Of a call on a connection of its own.
  absl::StatusCode Call(const ChannelOptions& options) const {
    const auto channel = MakeChannel(address_, options);
    if (!channel.ok()) return channel.status().code();
    const std::vector<int32_t> matrix = {1, 2, 3, 4, 5, 6};
    std::vector<int32_t> by_column(6);
    const absl::Status status =
        Client(*channel, {.max_attempts = 1})
            .RelayoutInto(*View(matrix, {2, 3}),
                          *MutableView(by_column, {2, 3}, ColumnMajor(2)));
    if (!status.ok()) return status.code();
    EXPECT_THAT(by_column, ElementsAre(1, 4, 2, 5, 3, 6));
    return absl::StatusCode::kOk;
  }

  // Of channelz, with a message that is empty in wire format and reply.
  grpc::Status AskChannelz(const ChannelOptions& options) const {
    const auto channel = MakeChannel(address_, options);
    if (!channel.ok()) return {grpc::StatusCode::INTERNAL, "no channel"};
    grpc::GenericStub stub(*channel);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(30));
    grpc::CompletionQueue queue;
    const grpc::Slice nothing("");
    const grpc::ByteBuffer request(&nothing, 1);
    const auto call = stub.PrepareUnaryCall(
        &context, "/grpc.channelz.v1.Channelz/GetServers", request, &queue);
    grpc::ByteBuffer reply;
    grpc::Status status;
    call->StartCall();
    call->Finish(&reply, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    EXPECT_TRUE(!status.ok() || reply.Length() > 0) << "no server";
    return status;
  }

  bool Within20Seconds(const std::function<bool()>& is_true) const {
    const absl::Time deadline = absl::Now() + absl::Seconds(20);
    while (!is_true()) {
      if (absl::Now() > deadline) return false;
      absl::SleepFor(absl::Milliseconds(50));
    }
    return true;
  }

  const Certificates& made_ = Certificates::Get();
  const std::string folder_ =
      absl::StrCat(::testing::TempDir(), "stridecast_secure_", getpid());
  std::optional<ServerProcess> server_;
  std::string address_;
};

TEST_F(SecureServerTest, TlsNeedsTheAuthorityThatSignedTheServer) {
  ASSERT_NO_FATAL_FAILURE(Start({}));
  EXPECT_EQ(Call(Trusting("ca")), absl::StatusCode::kOk);
  EXPECT_EQ(Call(Trusting("other")), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Call({}), absl::StatusCode::kUnavailable) << "plaintext";
  EXPECT_EQ(Call(Trusting("ca")), absl::StatusCode::kOk);
}

TEST_F(SecureServerTest, ClientsNeedACertificateOfTheAuthority) {
  Write("clients.pem", made_.Pem("ca"));
  ASSERT_NO_FATAL_FAILURE(Start({"--tls-client-ca=" + Path("clients.pem")}));
  EXPECT_EQ(Call(Showing("client")), absl::StatusCode::kOk);
  EXPECT_EQ(Call(Trusting("ca")), absl::StatusCode::kUnavailable) << "none";
  EXPECT_EQ(Call(Showing("stranger")), absl::StatusCode::kUnavailable);
  // Another authority signs clients from now on.
  Write("clients.pem", made_.Pem("other"));
  EXPECT_TRUE(Within20Seconds(
      [this] { return Call(Showing("stranger")) == absl::StatusCode::kOk; }));
  EXPECT_EQ(Call(Showing("client")), absl::StatusCode::kUnavailable);
}

TEST_F(SecureServerTest, FaultyFilesLeaveTlsAsItWas) {
  ASSERT_NO_FATAL_FAILURE(Start({}));
  const std::string chain = made_.Pem("server"), key = made_.Key("server");
  const struct {
    const char* chain_file;
    std::string chain, key;
    const char* in_the_log;
  } kRows[] = {
      {"server.pem", "nonsense", key, "PEM chain of certificates"},
      {"server.pem", chain, "", "is no readable PEM key of the certificate\n"},
      {"server.pem", made_.Pem("stranger"), key, "(key values mismatch)"},
      {"elsewhere.pem", chain, key, "server.pem\" cannot be read"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.in_the_log);
    unlink(Path("server.pem").c_str());
    Write("server.key", row.key);
    Write(row.chain_file, row.chain);
    EXPECT_TRUE(server_->WaitForError(row.in_the_log));
    EXPECT_EQ(Call(Trusting("ca")), absl::StatusCode::kOk);
  }
  WriteIdentity("stranger");
  EXPECT_TRUE(Within20Seconds(
      [this] { return Call(Trusting("other")) == absl::StatusCode::kOk; }));
  EXPECT_EQ(Call(Trusting("ca")), absl::StatusCode::kUnavailable);
  server_->Signal(SIGTERM);
  EXPECT_EQ(server_->WaitForExit(), 0);
}

TEST_F(SecureServerTest, ConnectionsOutliveTheChangeOfTheirCertificate) {
  ASSERT_NO_FATAL_FAILURE(Start({}));
  const auto channel = MakeChannel(address_, Trusting("ca"));
  ASSERT_TRUE(channel.ok()) << channel.status();
  const Client client(*channel, {.max_attempts = 1});
  const std::vector<int32_t> values = {1, 2, 3};
  EXPECT_TRUE(client.Relayout(*View(values, {3}), {}).ok());
  WriteIdentity("stranger");
  ASSERT_TRUE(Within20Seconds(
      [this] { return Call(Trusting("other")) == absl::StatusCode::kOk; }));
  EXPECT_TRUE(client.Relayout(*View(values, {3}), {}).ok());
}

// Its handshake was not over when the others were told.
TEST_F(SecureServerTest, WhoComesLateIsToldOfTheDrainToo) {
  ASSERT_NO_FATAL_FAILURE(Start({"--drain-deadline-seconds=60"}));
  LateClient late(address_);
  // A call that keeps the drain from its end.
  const auto channel = MakeChannel(address_, Trusting("ca"));
  ASSERT_TRUE(channel.ok()) << channel.status();
  grpc::GenericStub stub(*channel);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(
      &context, "/stridecast.v1.TensorCompute/ComputeStream", &queue);
  call->StartCall(nullptr);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  ASSERT_TRUE(ok);
  EXPECT_EQ(Call(Trusting("ca")), absl::StatusCode::kOk);

  server_->Signal(SIGTERM);
  ASSERT_TRUE(server_->WaitForError("shutting down"));
  absl::SleepFor(absl::Milliseconds(500));  // The others were told meanwhile.
  EXPECT_TRUE(late.IsToldToLeave());
  // It still waits for the call.
  EXPECT_THAT(server_->err(), Not(HasSubstr("stopped")));
  context.TryCancel();
  EXPECT_EQ(server_->WaitForExit(), 0);
}

TEST_F(SecureServerTest, ChannelzIsOffUnlessAskedForAndNeedsTheToken) {
  Write("tokens", "secret\n");
  ASSERT_NO_FATAL_FAILURE(Start({"--token-file=" + Path("tokens")}));
  ChannelOptions with_token = Trusting("ca");
  with_token.bearer_token = "secret";
  EXPECT_EQ(Call(with_token), absl::StatusCode::kOk);
  EXPECT_EQ(Call(Trusting("ca")), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(AskChannelz(with_token).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);

  ASSERT_NO_FATAL_FAILURE(
      Start({"--token-file=" + Path("tokens"), "--channelz=on"}));
  EXPECT_EQ(AskChannelz(with_token).error_code(), grpc::StatusCode::OK);
  const grpc::Status refused = AskChannelz(Trusting("ca"));
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(refused.error_message(), HasSubstr("authorization: missing"));
}

}  // namespace
}  // namespace stridecast::testing
