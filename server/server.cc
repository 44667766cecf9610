// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/server.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "grpcpp/ext/channelz_service_plugin.h"
#include "grpcpp/impl/server_builder_option.h"
#include "grpcpp/resource_quota.h"
#include "grpcpp/server_builder.h"
#include "server/goaway.h"
#include "server/heap.h"
#include "server/listen_address.h"
#include "server/memory_limit.h"
#include "server/periodic_thread.h"
#include "spdlog/spdlog.h"
#include "stridecast/status_macros.h"
#ifdef STRIDECAST_METRICS
#include "server/server_figures.h"
#endif

namespace stridecast {
namespace {

constexpr char kLiveness[] = "liveness";
// For a peer to answer: to a ping, to bytes, in a handshake.
constexpr int64_t kPeerPatienceSeconds = 20;
// Without a call, a client has left that was told to go.
constexpr std::chrono::seconds kQuietTime(1);
constexpr std::chrono::milliseconds kDrainPoll(2);
constexpr std::chrono::milliseconds kGoawayPeriod(200);
// How much later than its deadline a call that waits for its caller may end.
constexpr std::chrono::seconds kWatchInterval(1);
// For replies of calls that ended before the drain to arrive.
constexpr std::chrono::seconds kMaxSendTime(1);

// How soon after one PING without data another is allowed. Our clients send one
// a second to notice a server that is gone (client/channel.cc); gRPC's default
// of 5 minutes would have them cut off.
constexpr int kMinPingIntervalMs = 500;

constexpr char kComputeName[] = "stridecast.v1.TensorCompute";
constexpr char kHealthName[] = "grpc.health.v1.Health";
constexpr char kReflectionName[] = "grpc.reflection.v1.ServerReflection";
constexpr char kReflectionAlphaName[] =
    "grpc.reflection.v1alpha.ServerReflection";
constexpr char kChannelzName[] = "grpc.channelz.v1.Channelz";

// What gRPC may keep for one, with TLS: a guess, and not a small one.
constexpr int64_t kConnectionBytes = 64 << 10;

// What stops serving when draining, in that order: those who route first.
constexpr const char* kDrained[] = {"readiness", kComputeName, ""};

// A look at thousands of connections takes milliseconds, and the calls that
// they wait for need the CPU too. Not beyond `deadline`.
void PauseAfterLook(std::chrono::steady_clock::time_point began,
                    std::chrono::steady_clock::time_point deadline) {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::steady_clock::duration pause =
      std::max<std::chrono::steady_clock::duration>(9 * (now - began),
                                                    kDrainPoll);
  std::this_thread::sleep_until(std::min(now + pause, deadline));
}

// Linking gRPC's channelz library switches it on for every server of the
// process; this takes it out of one.
class WithoutChannelz final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>*
                         plugins) override {
    std::erase_if(*plugins, [](const auto& plugin) {
      return plugin->name() == "channelz_service";
    });
  }
};

// 0 stands for "for ever", which gRPC spells INT_MAX.
int ToMillis(int64_t seconds) {
  return seconds == 0 ? std::numeric_limits<int>::max()
                      : static_cast<int>(seconds * 1000);
}

void SetConnectionTimes(const ServerOptions& options,
                        grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS,
                             ToMillis(options.max_connection_idle_seconds));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                             ToMillis(options.max_connection_age_seconds));
  builder.AddChannelArgument(
      GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
      ToMillis(options.max_connection_age_grace_seconds));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS,
                             ToMillis(options.keepalive_seconds));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             ToMillis(kPeerPatienceSeconds));
  // Who connects and says nothing.
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             ToMillis(kPeerPatienceSeconds));
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      kMinPingIntervalMs);
  // Or gRPC stops asking after two answers.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

// What a connection may send before any of its calls is admitted.
// With gRPC's bandwidth-delay probe that is up to 4 MiB, which moves great
// messages faster; without it 64 KiB, and frames as large as it would allow.
void SetWindows(const ServerOptions& options, grpc::ServerBuilder& builder) {
  constexpr int64_t kProbedWindowBytes = int64_t{4} << 20;
  constexpr int kFrameBytes = 1 << 20;
  if (options.max_connections <=
      options.max_inflight_bytes / kProbedWindowBytes) {
    return;
  }
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kFrameBytes);
}

void SetLimits(const ServerOptions& options, grpc::ServerBuilder& builder) {
  // gRPC looks at its limit when all of the message is there: ours, then, whose
  // text names the flag, does as well.
  builder.SetMaxReceiveMessageSize(-1);
  // Memory of gRPC itself. It ends streams and connections of its own choice,
  // and tells nobody why: so admission and the memory guard come first.
  grpc::ResourceQuota quota("stridecast");
  const int64_t quota_bytes =
      std::max(options.max_memory_bytes + options.max_memory_bytes / 8,
               options.max_inflight_bytes);
  quota.Resize(static_cast<size_t>(
      std::min(quota_bytes, UsableMemoryBytes() / 16 * 15)));
  quota.SetMaxThreads(static_cast<int>(options.max_grpc_threads));
  builder.SetResourceQuota(quota);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                             static_cast<int>(options.max_concurrent_streams));
  SetConnectionTimes(options, builder);
  SetWindows(options, builder);
  // What is inflated is seen by no limit.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
}

// Of the heap and of buffers that are not in it; not those that are idle.
int64_t AllocatedBytes(const BufferPoolStats& pool) {
  const int64_t idle_in_heap = pool.idle_bytes - pool.idle_mapped_bytes;
  return HeapBytesInUse() - idle_in_heap + pool.lent_mapped_bytes;
}

// The first of the addresses that is, or serves, number i.
size_t FirstServing(absl::Span<const std::string> addresses, size_t i) {
  for (size_t k = 0; k < i; ++k) {
    if (IsServedBy(addresses[i], addresses[k])) return k;
  }
  return i;
}

EngineOptions EngineOptionsOf(const ServerOptions& options) {
  EngineOptions engine_options;
  engine_options.limits.max_result_bytes = options.max_result_bytes;
  engine_options.limits.max_instructions = options.max_instructions;
  engine_options.num_threads = static_cast<int>(options.threads);
  engine_options.simd_target = options.simd_target;
  return engine_options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const ServerOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine,
                   Engine::Create(EngineOptionsOf(options)));
  return Start(options, std::move(engine));
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const ServerOptions& options, std::unique_ptr<Engine> engine) {
  ASSIGN_OR_RETURN(std::unique_ptr<Credentials> credentials,
                   Credentials::Make(options));
  std::unique_ptr<Server> server(new Server(
      WithDetectedValues(options), std::move(credentials), std::move(engine)));
  RETURN_IF_ERROR(server->Listen());
  server->GuardMemory();
  // Also what reads figures of connections comes before they do.
  RETURN_IF_ERROR(
      PrefixField("--metrics-listen: ", server->ListenForMetrics()));
  server->acceptor_->Start();
  server->is_ready_ = true;
  return server;
}

Server::Server(const ServerOptions& options,
               std::unique_ptr<Credentials> credentials,
               std::unique_ptr<Engine> engine)
    : options_(options),
      credentials_(std::move(credentials)),
      engine_(std::move(engine)),
      call_log_(ToLogFormat(options_.log_format)),
      held_(
          [this](const auto* peers) {
            if (peers == nullptr) acceptor_->open().Count();  // forgets closed
            return acceptor_->open().ReceivedBytes(peers);
          },
          {.most = MostConnectionCalls(options_),
           .on_flood = [this](auto& context) { CloseForCalls(context); }}),
      service_(options_, engine_.get(), Observers(), &held_),
      health_(options_.max_connections, &held_),
      unknown_methods_(&held_) {}

std::vector<CallObserver*> Server::Observers() {
#ifdef STRIDECAST_METRICS
  return {&call_log_, &metrics_};
#else
  return {&call_log_};
#endif
}

absl::Status Server::Listen() {
  static std::once_flag once;
  std::call_once(once, &grpc::channelz::experimental::InitChannelzService);
  grpc::ServerBuilder builder;
  SetLimits(options_, builder);
  if (!options_.channelz) {
    builder.SetOption(std::make_unique<WithoutChannelz>());
  }
  RegisterServices(builder);

  // Before gRPC starts: what cannot be had starts nothing.
  std::vector<ConnectionAcceptor::Source> sources;
  std::vector<int> ports(options_.listen.size());
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::string& address = options_.listen[i];
    const size_t served_by = FirstServing(options_.listen, i);
    if (served_by == i) {
      ASSIGN_OR_RETURN(std::vector<ListeningSocket> sockets,
                       ListeningSocket::Open(address, options_.unix_socket_mode,
                                             kPeerPatienceSeconds));
      ports[i] = sockets.front().port();
      const auto take = TakerOf(address, builder);
      for (ListeningSocket& socket : sockets) {
        sources.push_back({std::move(socket), take});
      }
    }
    addresses_.push_back(WithBoundPort(address, ports[served_by]));
  }
  grpc_server_ = builder.BuildAndStart();
  if (grpc_server_ == nullptr) {
    return absl::InternalError("gRPC did not start the server");
  }
  health_.SetServing(kLiveness, true);
  for (const char* name : kDrained) health_.SetServing(name, true);
  acceptor_.emplace(std::move(sources), options_.max_connections, [this] {
    // The guard is there when accepting starts.
    return !memory_guard_->is_flooded() &&
           (!memory_guard_->is_growing() ||
            acceptor_->num_open() < kLeastConnections);
  });
  watcher_ = RunEvery(kWatchInterval, [this] { EndLate(); });
  return absl::OkStatus();
}

void Server::GuardMemory() {
  const CallEnvironment& environment = service_.environment();
  std::vector<CallerWaits*> waits = health_.waits();
  waits.push_back(environment.waits.get());
  waits.push_back(&unknown_methods_.waits());
  if (reflection_.has_value()) waits.push_back(&reflection_->waits());
  BufferPool& pool = environment.memory->pool;
  memory_guard_.emplace(
      options_.max_memory_bytes,
      MemoryGuard::Memory{
          .resident_bytes = &ResidentBytes,
          .allocated_bytes = [&pool] { return AllocatedBytes(pool.stats()); },
          .give_back =
              [&pool] {
                pool.Trim();
                TrimHeap();
              },
          .system_bytes =
              [sockets = std::make_shared<SocketMemory>()] {
                return sockets->Bytes();
              },
          .explained_bytes =
              [this, &pool, memory = environment.memory] {
                return kEmptyProcessBytes + memory->budget.inflight_bytes() +
                       pool.stats().idle_bytes +
                       acceptor_->open().num_known() * kConnectionBytes;
              },
          .close_deaf =
              [this](std::chrono::milliseconds silence) {
                return acceptor_->open().CloseDeaf(silence);
              },
          .close =
              [this](const std::string& peer) {
                return acceptor_->open().Close(peer);
              }},
      std::move(waits), &held_);
}

void Server::RegisterServices(grpc::ServerBuilder& builder) {
  builder.RegisterService(&service_);
  builder.RegisterService(&health_);
  builder.RegisterCallbackGenericService(&unknown_methods_);
  if (!options_.reflection) return;
  std::vector<std::string> names = {kComputeName, kHealthName, kReflectionName,
                                    kReflectionAlphaName};
  if (options_.channelz) names.push_back(kChannelzName);
  reflection_.emplace(std::move(names),
                      std::chrono::seconds(options_.stream_idle_seconds),
                      &held_);
  builder.RegisterService(&*reflection_);
}

std::function<void(int, int)> Server::TakerOf(
    absl::string_view address, grpc::ServerBuilder& builder) const {
  const std::shared_ptr<grpc::experimental::ExternalConnectionAcceptor>
      of_grpc = builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::
              FROM_FD,
          credentials_->ForAddress(address));
  return [of_grpc](int listening_fd, int fd) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters
        connection;
    connection.listener_fd = listening_fd;
    connection.fd = fd;
    of_grpc->HandleNewConnection(&connection);
  };
}

#ifdef STRIDECAST_METRICS

absl::Status Server::ListenForMetrics() {
  if (options_.metrics_listen == "off") return absl::OkStatus();
  ASSIGN_OR_RETURN(
      http_server_,
      HttpServer::Start(
          options_.metrics_listen,
          {.metrics =
               [this] { return metrics_.Scrape(ReadServerFigures(*this)); },
           .is_ready = [this] { return is_ready_.load(); }}));
  return absl::OkStatus();
}

std::string Server::metrics_address() const {
  return http_server_ == nullptr ? "" : http_server_->address();
}

#else

absl::Status Server::ListenForMetrics() { return absl::OkStatus(); }
std::string Server::metrics_address() const { return ""; }

#endif

void Server::CloseForCalls(grpc::CallbackServerContext& context) {
  const std::string peer = context.peer();
  context.TryCancel();
  if (!acceptor_->open().Close(peer)) return;
  ++num_cut_off_;
  int64_t num_held_back = 0;
  if (close_log_limit_.Pass(RateLimiter::Clock::now(), num_held_back)) {
    spdlog::warn(
        "closed the connection of {}, which has more than {} calls though "
        "--max-concurrent-streams is {}; {} others since the last such line",
        peer, 2 * MostConnectionCalls(options_),
        options_.max_concurrent_streams, num_held_back);
  }
}

void Server::EndLate() {
  const std::vector<std::string> peers = service_.EndLateCalls();
  OpenConnections& open = acceptor_->open();
  const int64_t num_unread =
      open.CloseUnread(std::chrono::seconds(kPeerPatienceSeconds));
  num_cut_off_ += num_unread;
  if (num_unread > 0) {
    spdlog::warn("closed {} connections of Unix sockets that nobody reads",
                 num_unread);
  }
  for (const std::string& peer : peers) {
    if (!open.Close(peer)) continue;
    ++num_cut_off_;
    spdlog::warn(
        "closed the connection of {}, which has not read the reply of a call "
        "that was ended {} s ago",
        peer, CallerWaits::kTimeToEnd.count());
  }
}

Server::~Server() {
  if (acceptor_.has_value()) acceptor_->Stop();
  if (grpc_server_ != nullptr) ShutDown();
}

// gRPC keeps a connection until what it has begun to write there is written:
// for ever, if nobody reads it.
int64_t Server::ShutDown() {
  const auto close_at = std::chrono::steady_clock::now() + kMaxSendTime;
  std::atomic<int64_t> num_closed = 0;
  {
    const std::jthread closer = RunEvery(kDrainPoll, [&] {
      if (std::chrono::steady_clock::now() >= close_at) {
        num_closed += acceptor_->open().CloseAll();
      }
    });
    grpc_server_->Shutdown(std::chrono::system_clock::now());
  }
  num_cut_off_ += num_closed;
  return num_closed;
}

void Server::Drain() {
  is_ready_ = false;
  for (const char* name : kDrained) health_.SetServing(name, false);
  spdlog::info("draining: calls are admitted for {} s more",
               options_.drain_delay_seconds);
  std::this_thread::sleep_for(
      std::chrono::seconds(options_.drain_delay_seconds));
  spdlog::info("shutting down: calls have {} s to end",
               options_.drain_deadline_seconds);
  acceptor_->Stop();
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::seconds(options_.drain_deadline_seconds);
  service_.endings().SetHolding(true);
  WaitForReplies(
      std::min(deadline, std::chrono::steady_clock::now() + kMaxSendTime));
  SendGoaways(*grpc_server_);
  WaitForClientsToLeave(deadline);
  const int64_t num_late = service_.num_calls();
  if (num_late > 0 && std::chrono::steady_clock::now() >= deadline) {
    spdlog::warn("the drain deadline of {} s has passed: cancelling {} calls",
                 options_.drain_deadline_seconds, num_late);
  }
  service_.endings().SetHolding(false);
  service_.RefuseCalls();
  const int64_t num_closed = ShutDown();
  if (num_closed > 0) {
    spdlog::warn("closed {} connections that were still open {} s later",
                 num_closed, kMaxSendTime.count());
  }
}

void Server::EndCallsThatWereRead() {
  service_.endings().EndThose([this](absl::Span<Written* const> written) {
    return acceptor_->open().ArrivalsOf(written);
  });
}

void Server::WaitForReplies(std::chrono::steady_clock::time_point deadline) {
  absl::flat_hash_set<int> sent;
  acceptor_->num_open();  // forgets who left
  for (auto now = std::chrono::steady_clock::now();
       now < deadline && !acceptor_->open().AreAllSent(sent);
       now = std::chrono::steady_clock::now()) {
    EndCallsThatWereRead();
    PauseAfterLook(now, deadline);
  }
}

void Server::WaitForClientsToLeave(
    std::chrono::steady_clock::time_point deadline) {
  auto last_use = std::chrono::steady_clock::now();
  auto last_goaways = last_use;
  for (auto now = last_use; now < deadline;
       now = std::chrono::steady_clock::now()) {
    EndCallsThatWereRead();
    // To those whose TLS handshakes have ended since.
    if (now > last_goaways + kGoawayPeriod) {
      SendGoaways(*grpc_server_);
      last_goaways = now;
    }
    if (acceptor_->num_open() == 0) return;
    if (service_.num_calls() > 0 || service_.endings().num_held() > 0) {
      last_use = now;
    }
    if (now > last_use + kQuietTime) {
      // What is left are connections kept by streams of health and reflection.
      if (acceptor_->open().AreAllSent()) return;
      last_use = now;
    }
    PauseAfterLook(now, deadline);
  }
}

}  // namespace stridecast
