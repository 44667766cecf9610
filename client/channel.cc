// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/channel.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/target.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "stridecast/client.h"
#include "stridecast/status_macros.h"
#include "stridecast/transport.h"

namespace stridecast {
namespace {

// Adds the token to a call. gRPC does so over secure channels only.
class BearerToken final : public grpc::MetadataCredentialsPlugin {
 public:
  explicit BearerToken(const std::string& token)
      : value_(absl::StrCat("Bearer ", token)) {}

  bool IsBlocking() const override { return false; }
  const char* GetType() const override { return "bearer"; }
  grpc::Status GetMetadata(
      grpc::string_ref, grpc::string_ref, const grpc::AuthContext&,
      std::multimap<grpc::string, grpc::string>* metadata) override {
    metadata->emplace("authorization", value_);
    return grpc::Status::OK;
  }

 private:
  const std::string value_;
};

bool IsUnixSocket(const std::string& target) {
  return absl::StartsWith(target, "unix:") ||
         absl::StartsWith(target, "unix-abstract:");
}

std::shared_ptr<grpc::ChannelCredentials> TlsCredentials(
    const TlsOptions& tls) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = tls.root_certificates;
  options.pem_cert_chain = tls.certificate_chain;
  options.pem_private_key = tls.private_key;
  return grpc::SslCredentials(options);
}

// Of what is no PEM gRPC says, at each call, that no address was found.
absl::Status CheckPem(absl::string_view field, const std::string& text,
                      absl::string_view kind) {
  if (text.empty() || (absl::StrContains(text, "-----BEGIN ") &&
                       absl::StrContains(text, absl::StrCat(kind, "-----")))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("tls.", field, ": holds no PEM ", kind));
}

absl::Status CheckTls(const TlsOptions& tls) {
  if (tls.certificate_chain.empty() != tls.private_key.empty()) {
    return absl::InvalidArgumentError(
        "tls: a certificate chain and its private key go together");
  }
  RETURN_IF_ERROR(
      CheckPem("root_certificates", tls.root_certificates, "CERTIFICATE"));
  RETURN_IF_ERROR(
      CheckPem("certificate_chain", tls.certificate_chain, "CERTIFICATE"));
  return CheckPem("private_key", tls.private_key, "PRIVATE KEY");
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeCredentials(
    const std::string& target, const ChannelOptions& options) {
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  if (options.tls) {
    RETURN_IF_ERROR(CheckTls(*options.tls));
    credentials = TlsCredentials(*options.tls);
  } else if (options.bearer_token.empty()) {
    return grpc::InsecureChannelCredentials();
  } else if (IsUnixSocket(target)) {
    credentials = grpc::experimental::LocalCredentials(UDS);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("bearer_token: everybody on the way to ", target,
                     " could read it; needs TLS or a Unix socket"));
  }
  if (options.bearer_token.empty()) return credentials;
  const bool is_printable =
      std::all_of(options.bearer_token.begin(), options.bearer_token.end(),
                  absl::ascii_isgraph);
  if (!is_printable) {
    return absl::InvalidArgumentError(
        "bearer_token: has spaces or characters that are not ASCII (the end "
        "of a line?)");
  }
  return grpc::CompositeChannelCredentials(
      credentials, grpc::MetadataCredentialsFromPlugin(
                       std::make_unique<BearerToken>(options.bearer_token)));
}

// gRPC's service config.
std::string RoundRobin(const std::string& health_service) {
  const std::string health =
      health_service.empty()
          ? ""
          : absl::StrCat(R"("healthCheckConfig": {"serviceName": ")",
                         health_service, R"("}, )");
  return absl::StrCat("{", health,
                      R"("loadBalancingConfig": [{"round_robin": {}}]})");
}

// So that the last attempt of a call (unary_call.cc) finds a new connection
// after one that failed; gRPC's default is 1 s.
constexpr int kReconnectBackoffMs = 100;
// gRPC's default is 2 minutes, in which a server that is back would get no
// calls, and the next one to go might be the last.
constexpr int kMaxReconnectBackoffMs = 10'000;

// gRPC spells "for ever" INT_MAX.
int ToMillis(absl::Duration duration) {
  return static_cast<int>(std::clamp<int64_t>(
      absl::ToInt64Milliseconds(duration), 1, std::numeric_limits<int>::max()));
}

// A server that says nothing for a quarter of `max_silence` is asked; it has
// the rest to answer. gRPC makes the latter the socket's TCP_USER_TIMEOUT, too,
// and asks at most once a second.
void SetMaxSilence(absl::Duration max_silence,
                   grpc::ChannelArguments& arguments) {
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, ToMillis(max_silence / 4));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                   ToMillis(max_silence / 4 * 3));
  // How long connecting may take (20 s otherwise); the backoffs set elsewhere
  // are how long one waits before it.
  if (max_silence != absl::InfiniteDuration()) {
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, ToMillis(max_silence));
  }
  // Or gRPC stops asking after two answers, while a long call computes.
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

grpc::ChannelArguments ArgumentsOf(const std::string& target,
                                   const ChannelOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(std::clamp<int64_t>(
      options.max_reply_bytes, -1, std::numeric_limits<int>::max())));
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectBackoffMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectBackoffMs);
  SetMaxSilence(options.max_silence, arguments);
  if (options.own_connections) {
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  }
  if (options.tls && !options.tls->server_name.empty()) {
    arguments.SetSslTargetNameOverride(options.tls->server_name);
  }
  if (options.round_robin.value_or(absl::StartsWith(target, "dns:"))) {
    arguments.SetServiceConfigJSON(RoundRobin(options.health_service));
  }
  return arguments;
}

absl::Status CheckTarget(const std::string& target) {
  const std::string fault = TargetFault(target);
  if (fault.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("target: \"", target, "\": ", fault));
}

// Fails each call with the same error.
class FaultyTransport final : public Transport {
 public:
  explicit FaultyTransport(absl::Status fault) : fault_(std::move(fault)) {}

  void Call(const CallHeader&, const grpc::ByteBuffer&,
            std::function<void(Reply)> done) override {
    done(fault_);
  }
  std::unique_ptr<TransportStream> OpenStream(
      const CallHeader&, TransportStream::OnEvent on_event) override {
    return std::make_unique<Stream>(fault_, std::move(on_event));
  }

 private:
  class Stream final : public TransportStream {
   public:
    Stream(absl::Status fault, OnEvent on_event)
        : fault_(std::move(fault)), on_event_(std::move(on_event)) {}
    void Write(grpc::ByteBuffer) override { End(); }
    void HalfClose() override { End(); }
    void Read() override { End(); }
    void Cancel() override { End(); }
    absl::Status status() const override { return fault_; }

   private:
    void End() {
      if (!std::exchange(has_ended_, true)) on_event_(Event::kEnded, {});
    }

    const absl::Status fault_;
    const OnEvent on_event_;
    bool has_ended_ = false;
  };

  const absl::Status fault_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(
    const std::string& target, const ChannelOptions& options) {
  RETURN_IF_ERROR(CheckTarget(target));
  const bool is_name = std::all_of(
      options.health_service.begin(), options.health_service.end(),
      [](char c) { return absl::ascii_isgraph(c) && c != '"' && c != '\\'; });
  if (!is_name) {
    return absl::InvalidArgumentError(absl::StrCat(
        "health_service: \"", options.health_service, "\" is no name"));
  }
  if (options.max_silence <= absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_silence: ", absl::FormatDuration(options.max_silence),
                     " is not positive"));
  }
  ASSIGN_OR_RETURN(const auto credentials, MakeCredentials(target, options));
  return grpc::CreateCustomChannel(target, credentials,
                                   ArgumentsOf(target, options));
}

Client Client::Connect(const std::string& target,
                       const ClientOptions& options) {
  if (absl::Status fault = CheckTarget(target); !fault.ok()) {
    return Client(std::make_shared<FaultyTransport>(std::move(fault)), options);
  }
  return Client(
      grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(),
                                ArgumentsOf(target, {})),
      options);
}

}  // namespace stridecast
