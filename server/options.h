// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Everything that an operator can set: the one place for names, units and
// defaults. A flag --max-message-bytes is the field max_message_bytes; where
// flags come from: command_line.h.
// Rule: options are read and validated once, before anything is started; what
// runs later trusts them.

#ifndef STRIDECAST_SERVER_OPTIONS_H_
#define STRIDECAST_SERVER_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace stridecast {

// What is built without metrics serves none.
#ifdef STRIDECAST_METRICS
inline constexpr char kDefaultMetricsListen[] = "127.0.0.1:9464";
#else
inline constexpr char kDefaultMetricsListen[] = "off";
#endif

// That may be set for the process. Idle, it has half of that.
inline constexpr int64_t kLeastMemoryBytes = int64_t{48} << 20;

// Of connections that are accepted however short memory is, but for the time
// after a flood.
inline constexpr int64_t kLeastConnections = 16;

struct ServerOptions {
  // Addresses "host:port" (port 0: any free one), "unix:/path" and
  // "unix-abstract:name".
  std::vector<std::string> listen = {"127.0.0.1:50051"};
  // Permissions of the files of Unix sockets: who may write may call.
  int64_t unix_socket_mode = 0660;

  // PEM files: the certificate chain and its key make every TCP address one of
  // TLS; with a CA file clients need a certificate that one of those signed.
  std::string tls_certificate;
  std::string tls_private_key;
  std::string tls_client_ca;
  // A file with bearer tokens, one of which each call then needs; needs TLS, or
  // Unix sockets alone. Calls of health need none, unless asked for.
  std::string token_file;
  bool health_needs_token = false;
  // How often those files are looked at again.
  int64_t credentials_refresh_seconds = 10;
  // Serve other machines without TLS.
  bool allow_plaintext = false;

  // Of one request message.
  int64_t max_message_bytes = int64_t{64} << 20;
  // Of all results of one unary call together.
  int64_t max_result_bytes = int64_t{1} << 30;
  // Of requests, results and scratch of all calls together; at least 64 KiB,
  // which a small call takes. 0: three eighths of the memory that this process
  // may use.
  int64_t max_inflight_bytes = 0;
  // Of buffers that no call uses, on top of those in flight, kept for the next
  // ones until they were idle for 5 to 10 s. 0: an eighth of
  // max_inflight_bytes; 1: none.
  int64_t max_idle_buffer_bytes = 0;
  // Of the process: beyond it, calls whose messages are on the way are ended.
  // 0: DefaultMemoryBytes of what it may use, or more, as far as the others ask
  // for it and a sixteenth is left.
  int64_t max_memory_bytes = 0;
  // Calls at a time, of Compute, Relayout, Explain, GetServerInfo and
  // ComputeStream together.
  int64_t max_inflight_calls = 4096;
  // Calls at a time on one connection.
  int64_t max_concurrent_streams = 128;
  // Instructions of one program.
  int64_t max_instructions = 256;
  // Threads of gRPC, which takes one for each call of channelz.
  int64_t max_grpc_threads = 64;

  // Connections at a time; less where the process may not have so many files.
  // 0: 1000, as far as max_memory_bytes has room for all their calls, at least
  // kLeastConnections.
  int64_t max_connections = 0;
  // How long a connection may be without calls. 0: for ever.
  int64_t max_connection_idle_seconds = 900;
  // How old a connection may grow before its client is told to make another,
  // a tenth more or less, so that clients find new replicas; and how long its
  // calls may still run then. 0: for ever.
  int64_t max_connection_age_seconds = 0;
  int64_t max_connection_age_grace_seconds = 3600;
  // How long a connection may be silent before its client is asked whether it
  // is there; it has 20 s to answer.
  int64_t keepalive_seconds = 60;

  // Plans kept of requests that may come again. 0: none.
  int64_t plan_cache_entries = 128;

  // Threads that compute. 0: as many as CPUs that this process may use.
  int64_t threads = 0;
  // "AVX2" or "AVX3" (AVX-512); empty: the best that the CPU has.
  std::string simd_target;

  // Of a unary call that comes without one.
  int64_t default_deadline_seconds = 300;
  // How long a ComputeStream may make no progress before it is ended.
  int64_t stream_idle_seconds = 60;
  // From SIGTERM, how long calls are still admitted while health says
  // NOT_SERVING, so that load balancers can notice.
  int64_t drain_delay_seconds = 5;
  // After that delay, how long calls that run may still take.
  int64_t drain_deadline_seconds = 30;

  bool reflection = true;
  bool channelz = false;
  // "host:port" where /metrics, /livez and /readyz are served over HTTP; "off":
  // nowhere.
  std::string metrics_listen = kDefaultMetricsListen;
  // "debug", "info", "warning", "error", "off".
  std::string log_level = "info";
  // "text" or "json".
  std::string log_format = "text";
};

// Errors: kInvalidArgument naming the flag, the rule and the value.
absl::Status Validate(const ServerOptions& options);

// `options` with every 0 that stands for "find out" replaced.
ServerOptions WithDetectedValues(ServerOptions options);

// Three quarters, but not the last 48 MiB, as far as half is left.
int64_t DefaultMemoryBytes(int64_t usable_bytes);

// Of memory, with a detected budget: calls in flight, a quarter more for what
// gRPC holds beside them, and idle buffers.
int64_t GreatestUseBytes(const ServerOptions& options);

// What max_connections says, 0 being as many as a detected max_memory_bytes has
// room for with all their calls: were there no limit of open files.
int64_t WantedConnections(const ServerOptions& options);

// How many calls of one connection the server itself admits. They are known to
// it a little longer than to gRPC, whose limit, --max-concurrent-streams, holds
// for clients that acknowledge it: so it is a multiple of that.
int64_t MostConnectionCalls(const ServerOptions& options);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_OPTIONS_H_
