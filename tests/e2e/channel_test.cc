// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Channels to a small gRPC server: TLS in all its failures, tokens, Unix
// sockets, limits of replies. Many servers: round_robin_test.cc.

#include "stridecast/channel.h"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "grpc/grpc_security_constants.h"
#include "gtest/gtest.h"
#include "stridecast/async_client.h"
#include "stridecast/async_stream_client.h"
#include "stridecast/client.h"
#include "stridecast/stream_client.h"
#include "stridecast/tensor_view.h"
#include "tests/e2e/generic_server.h"
#include "tests/support/certificates.h"

namespace stridecast {
namespace {

using testing::Certificates;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Keeps the last call's token, and answers with the message.
class EchoServer {
 public:
  explicit EchoServer(std::shared_ptr<grpc::ServerCredentials> credentials,
                      const std::string& address = "127.0.0.1:0")
      : server_(
            [this](const grpc::GenericCallbackServerContext& context) {
              std::lock_guard lock(mutex_);
              tokens_.clear();
              const auto [begin, end] =
                  context.client_metadata().equal_range("authorization");
              for (auto it = begin; it != end; ++it) {
                tokens_.emplace_back(it->second.begin(), it->second.end());
              }
              return new EchoReactor(grpc::Status::OK);
            },
            std::move(credentials), address) {}

  const std::string& target() const { return server_.target(); }
  std::vector<std::string> tokens() {
    std::lock_guard lock(mutex_);
    return tokens_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> tokens_;
  GenericServer server_;
};

// A call of `num_bytes` there and back.
absl::Status Echo(const std::shared_ptr<grpc::Channel>& channel,
                  int64_t num_bytes = 3) {
  const std::vector<uint8_t> bytes(static_cast<size_t>(num_bytes), 7);
  // A relayout's request, sent back, reads as its reply.
  return Client(channel, {.max_attempts = 1})
      .Relayout(*View(bytes, {num_bytes}), {})
      .status();
}

absl::Status Echo(const std::string& target, const ChannelOptions& options) {
  const auto channel = MakeChannel(target, options);
  return channel.ok() ? Echo(*channel) : channel.status();
}

class TlsTest : public ::testing::Test {
 protected:
  // Whom the system trusts, here "ca": gRPC reads it once, at first use. What
  // the machine trusts would be another answer on each; and from an empty
  // /etc/ssl/certs gRPC leaks.
  static void SetUpTestSuite() {
    setenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
           Certificates::Get().PemPath("ca").c_str(), /*replace=*/1);
  }

  void SetUp() override {
    if (!Certificates::Get().are_made()) GTEST_SKIP() << "needs openssl";
  }

  static std::shared_ptr<grpc::ServerCredentials> Credentials(
      grpc_ssl_client_certificate_request_type request,
      const std::string& name = "server") {
    const Certificates& certificates = Certificates::Get();
    grpc::SslServerCredentialsOptions options(request);
    options.pem_root_certs = certificates.Pem("ca");
    options.pem_key_cert_pairs.push_back(
        {certificates.Key(name), certificates.Pem(name)});
    return grpc::SslServerCredentials(options);
  }
  static ChannelOptions Trusting(const std::string& authority) {
    ChannelOptions options;
    options.tls.emplace();
    options.tls->root_certificates = Certificates::Get().Pem(authority);
    return options;
  }
};

TEST_F(TlsTest, TheServersCertificateMustBeSignedByWhomIsTrusted) {
  EchoServer server(Credentials(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE));
  EXPECT_EQ(Echo(server.target(), Trusting("ca")), absl::OkStatus());
  EXPECT_EQ(Echo(server.target(), Trusting("other")).code(),
            absl::StatusCode::kUnavailable);
  ChannelOptions whom_the_system_trusts;
  whom_the_system_trusts.tls.emplace();
  EXPECT_EQ(Echo(server.target(), whom_the_system_trusts), absl::OkStatus());
  EchoServer stranger(
      Credentials(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE, "stranger"));
  EXPECT_EQ(Echo(stranger.target(), whom_the_system_trusts).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(Echo(server.target(), {}).code(), absl::StatusCode::kUnavailable)
      << "plaintext";
}

TEST_F(TlsTest, TheServersCertificateMustHaveTheName) {
  EchoServer server(Credentials(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE));
  ChannelOptions options = Trusting("ca");
  options.tls->server_name = "tensors.example";  // another of its names
  EXPECT_EQ(Echo(server.target(), options), absl::OkStatus());
  options.tls->server_name = "elsewhere.example";
  EXPECT_EQ(Echo(server.target(), options).code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(TlsTest, MutualTlsTakesBothCertificates) {
  EchoServer server(
      Credentials(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY));
  const Certificates& certificates = Certificates::Get();
  ChannelOptions options = Trusting("ca");
  EXPECT_EQ(Echo(server.target(), options).code(),
            absl::StatusCode::kUnavailable);
  options.tls->certificate_chain = certificates.Pem("client");
  options.tls->private_key = certificates.Key("client");
  EXPECT_EQ(Echo(server.target(), options), absl::OkStatus());
  options.tls->certificate_chain = certificates.Pem("stranger");
  options.tls->private_key = certificates.Key("stranger");
  EXPECT_EQ(Echo(server.target(), options).code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(TlsTest, TextsThatAreNoCertificatesAreUnavailable) {
  EchoServer server(Credentials(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE));
  ChannelOptions options = Trusting("ca");
  options.tls->certificate_chain = Certificates::Get().Pem("client");
  options.tls->private_key = Certificates::Get().Key("stranger");
  EXPECT_FALSE(Echo(server.target(), options).ok());
  options = Trusting("ca");
  options.tls->root_certificates.resize(100);
  options.tls->root_certificates += "-----END CERTIFICATE-----\n";
  EXPECT_EQ(Echo(server.target(), options).code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(TlsTest, ATokenArrives) {
  EchoServer server(Credentials(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE));
  ChannelOptions options = Trusting("ca");
  options.bearer_token = "abc.DEF-123_~+/=";
  EXPECT_EQ(Echo(server.target(), options), absl::OkStatus());
  EXPECT_THAT(server.tokens(), ElementsAre("Bearer abc.DEF-123_~+/="));
  EXPECT_EQ(Echo(server.target(), Trusting("ca")), absl::OkStatus());
  EXPECT_THAT(server.tokens(), IsEmpty());
}

TEST(ChannelTest, ATokenArrivesOverAUnixSocket) {
  const std::string path = absl::StrCat(::testing::TempDir(), "stridecast_",
                                        getpid(), "_token.sock");
  for (const std::string& address :
       {"unix:" + path, absl::StrCat("unix-abstract:stridecast_", getpid())}) {
    // What checks tokens, and what does not.
    for (const auto& credentials :
         {grpc::experimental::LocalServerCredentials(UDS),
          grpc::InsecureServerCredentials()}) {
      EchoServer server(credentials, address);
      ChannelOptions options;
      options.bearer_token = "secret";
      EXPECT_EQ(Echo(address, options), absl::OkStatus()) << address;
      EXPECT_THAT(server.tokens(), ElementsAre("Bearer secret"));
    }
  }
}

TEST(ChannelTest, ATargetThatIsNoneFailsEachCall) {
  const Client client = Client::Connect("no-port");
  const std::vector<float> numbers = {1, 2};
  const TensorView x = *View(numbers, {2});
  const StreamClient stream(client);
  const AsyncStreamClient async_stream(client);
  const absl::Status statuses[] = {
      client.GetServerInfo().status(), client.Relayout(x, {}).status(),
      AsyncClient(client).Relayout(x, {}).get().status(),
      stream.Relayout(x, {}).status(),
      async_stream.Relayout(x, {}).get().status()};
  for (const absl::Status& status : statuses) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(status.message(), HasSubstr("it has no port"));
  }
}

TEST(ChannelTest, OptionsThatCannotBeAreRefused) {
  ChannelOptions token, line, space, umlaut, half, other_half, authority, key,
      name, silence;
  token.bearer_token = "secret";
  line.tls.emplace();
  line.bearer_token = "secret\n";
  space.tls.emplace();
  space.bearer_token = "se cret";
  umlaut.tls.emplace();
  umlaut.bearer_token = "s\xC3\xA4";
  half.tls.emplace();
  half.tls->certificate_chain = "certificate";
  other_half.tls.emplace();
  other_half.tls->private_key = "key";
  authority.tls.emplace();
  authority.tls->root_certificates = "nonsense";
  key.tls.emplace();
  key.tls->certificate_chain = "-----BEGIN CERTIFICATE-----";
  key.tls->private_key = key.tls->certificate_chain;
  name.health_service = "a\"b";
  silence.max_silence = absl::ZeroDuration();
  const struct {
    const char* target;
    const ChannelOptions& options;
    const char* text;
  } kRows[] = {
      {"", {}, "target: \"\": it is empty; give host:port or unix:/path"},
      {"127.0.0.1:1", token,
       "bearer_token: everybody on the way to 127.0.0.1:1 could read it"},
      {"dns:///unix:1", token, "needs TLS or a Unix socket"},
      {"a:1", line, "has spaces or characters that are not ASCII"},
      {"unix:/a", line, "(the end of a line?)"},
      {"a:1", space, "bearer_token: has spaces"},
      {"http://a:1",
       {},
       "target: \"http://a:1\": leave out http://, as in a:1"},
      {"a", {}, "target: \"a\": it has no port; give host:port, as in a:50051"},
      {"a:", {}, "port \"\" is not in 1 to 65535"},
      {"a:65536", {}, "port \"65536\" is not in 1 to 65535"},
      {"::1", {}, "stands in brackets, as in [::1]:50051"},
      {"[::1]", {}, "it has no port"},
      {":1", {}, "it has no host"},
      {"a b:1", {}, "it has blanks"},
      {"unix:", {}, "nothing behind unix:"},
      {"dns:///", {}, "nothing behind dns:"},
      {"dns:///a", {}, "it has no port; give host:port, as in a:50051"},
      {"dns://1.2.3.4/a", {}, "it has no port"},
      {"a:1", umlaut, "not ASCII"},
      {"a:1", half, "a certificate chain and its private key go together"},
      {"a:1", other_half, "a certificate chain and its private key"},
      {"a:1", authority, "tls.root_certificates: holds no PEM CERTIFICATE"},
      {"a:1", key, "tls.private_key: holds no PEM PRIVATE KEY"},
      {"a:1", name, "health_service: \"a\"b\" is no name"},
      {"a:1", silence, "max_silence: 0 is not positive"}};
  for (const auto& row : kRows) {
    const absl::Status status = MakeChannel(row.target, row.options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_THAT(status.message(), HasSubstr(row.text));
    EXPECT_THAT(status.message(), ::testing::Not(HasSubstr("secret")));
  }
}

TEST(ChannelTest, RepliesAreLimitedIfAsked) {
  EchoServer server(grpc::InsecureServerCredentials());
  ChannelOptions options;
  EXPECT_EQ(Echo(*MakeChannel(server.target(), options), 8 << 20),
            absl::OkStatus());
  options.max_reply_bytes = 1 << 20;
  EXPECT_EQ(Echo(*MakeChannel(server.target(), options), (1 << 20) - 1000),
            absl::OkStatus());
  EXPECT_EQ(Echo(*MakeChannel(server.target(), options), 1 << 20).code(),
            absl::StatusCode::kResourceExhausted);
  options.max_reply_bytes = int64_t{1} << 40;
  EXPECT_EQ(Echo(*MakeChannel(server.target(), options), 8 << 20),
            absl::OkStatus());
}

}  // namespace
}  // namespace stridecast
