// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The program stridecast-server. Exit codes: 0 after a clean shutdown, 1 if the
// server cannot start or is told twice to stop, 2 for a bad command line.
// Signals: SIGTERM, SIGINT and SIGHUP drain; a second one ends the process at
// once.

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>

#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "google/protobuf/stubs/logging.h"
#include "grpc/grpc.h"
#include "server/command_line.h"
#include "server/heap.h"
#include "server/listen_address.h"
#include "server/log.h"
#include "server/memory_limit.h"
#include "server/server.h"
#include "server/version.h"
#include "spdlog/spdlog.h"

namespace stridecast {
namespace {

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  // With nohup it is ignored, but would come all the same if it were blocked.
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  return signals;
}

// Before any thread starts: all inherit the mask, so that only sigwait takes
// the signals.
void BlockStopSignals() {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

int WaitForStopSignal() {
  const sigset_t signals = StopSignals();
  int signal = 0;
  sigwait(&signals, &signal);
  return signal;
}

// A handler of our own ends the process with that code: process 1 of a
// container ignores signals left to their default.
template <int kExitCode>
void ExitOnStopSignals() {
  const auto exit_now = [](int) { _exit(kExitCode); };
  const sigset_t signals = StopSignals();
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    if (sigismember(&signals, signal) == 1) std::signal(signal, exit_now);
  }
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

void LogStart(const ServerOptions& asked, const Server& server) {
  const ServerOptions& options = server.options();
  if (options.tls_certificate.empty() &&
      !std::all_of(options.listen.begin(), options.listen.end(), IsLocalOnly)) {
    spdlog::warn("other machines are served without TLS (--allow-plaintext)");
  }
  if (const int64_t bytes = GreatestUseBytes(options);
      bytes > options.max_memory_bytes) {
    spdlog::warn(
        "--max-inflight-bytes {}: with a quarter more for gRPC and "
        "--max-idle-buffer-bytes {} that may be {} bytes, more than "
        "--max-memory-bytes {}",
        options.max_inflight_bytes, options.max_idle_buffer_bytes, bytes,
        options.max_memory_bytes);
  }
  if (options.max_message_bytes > options.max_inflight_bytes) {
    spdlog::warn(
        "--max-message-bytes {}: only messages of at most --max-inflight-bytes "
        "{} are computed",
        options.max_message_bytes, options.max_inflight_bytes);
  }
  if (options.max_memory_bytes > UsableMemoryBytes()) {
    spdlog::warn("--max-memory-bytes {}: more than the {} that there are",
                 options.max_memory_bytes, UsableMemoryBytes());
  }
  if (options.max_memory_bytes < kLeastMemoryBytes) {
    spdlog::warn(
        "--max-memory-bytes {}, of {} that there are: with less than {} calls "
        "end, and connections are closed, for want of memory",
        options.max_memory_bytes, UsableMemoryBytes(), kLeastMemoryBytes);
  }
  ServerOptions wanted = options;
  wanted.max_connections = asked.max_connections;
  if (const int64_t connections = WantedConnections(wanted);
      options.max_connections < connections) {
    spdlog::warn(
        "--max-connections {}: only {} within the limit of open files (ulimit "
        "-n)",
        connections, options.max_connections);
  }
  spdlog::info(
      "stridecast-server {} serves {}; SIMD {}, {} threads; bytes: "
      "message {}, result {}, in flight {}, memory {} of {} usable; {} "
      "connections, {} streams on each, reflection {}, metrics {}",
      kStridecastVersion, absl::StrJoin(server.addresses(), ","),
      std::string(server.engine().simd_target()), server.engine().num_threads(),
      options.max_message_bytes, options.max_result_bytes,
      options.max_inflight_bytes, options.max_memory_bytes, UsableMemoryBytes(),
      options.max_connections, options.max_concurrent_streams,
      options.reflection ? "on" : "off",
      server.metrics_address().empty() ? "off" : server.metrics_address());
}

// As many as the administrator allows: each connection is an open file.
void RaiseOpenFileLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Standard input, output and error that were closed: or the next files that are
// opened, sockets among them, take their place. Where a library did so before
// main, with an eventfd, which has no file type, the program begins anew.
void OpenStandardFiles(char** argv) {
  int null = open("/dev/null", O_RDWR);
  while (null >= 0 && null <= STDERR_FILENO) null = open("/dev/null", O_RDWR);
  bool is_taken = false;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    struct stat file;
    if (fstat(fd, &file) == 0 && (file.st_mode & S_IFMT) == 0) {
      is_taken |= dup2(null, fd) == fd;
    }
  }
  if (is_taken) execv("/proc/self/exe", argv);
  close(null);
}

int Serve(int argc, char** argv) {
  const CommandLine line = ParseCommandLine(argc, argv);
  std::cout << line.out << std::flush;
  std::cerr << line.err;
  if (!std::cout) {
    std::cerr << "stridecast-server: standard output: cannot write\n";
    return EXIT_FAILURE;
  }
  if (line.exit_code.has_value()) return *line.exit_code;

  BlockStopSignals();
#ifdef NDEBUG
  // Debian's Abseil looks at each lock, gRPC's too, for a cycle.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
#endif
  KeepFreedMemory();
  RaiseOpenFileLimit();
  // What gRPC logs of a port that is taken, we say in one line; who wants more
  // sets the variable.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  // A stranger's bytes decide what protobuf says; whoever called is told.
  google::protobuf::SetLogHandler(nullptr);
  // Never undone: gRPC's own end would wait, for up to 10 s, for a thread that
  // polls for writes which the kernel had no room for.
  grpc_init();
  SetUpLog(line.options.log_level, ToLogFormat(line.options.log_format));
  for (const std::string& warning : line.warnings) spdlog::warn(warning);
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(line.options);
  if (!server.ok()) {
    std::cerr << "stridecast-server: " << server.status().message() << "\n";
    return EXIT_FAILURE;
  }
  LogStart(line.options, **server);
  spdlog::default_logger()->flush();

  const int signal = WaitForStopSignal();
  ExitOnStopSignals<EXIT_FAILURE>();
  spdlog::info("{}: stopping; a second signal ends the process at once",
               signal == SIGTERM  ? "SIGTERM"
               : signal == SIGINT ? "SIGINT"
                                  : "SIGHUP");
  (*server)->Drain();
  server->reset();  // Its threads log, too.
  spdlog::info("stopped");
  spdlog::shutdown();  // writes what is left of the log
  return EXIT_SUCCESS;
}

int Main(int argc, char** argv) {
  // A client that leaves must not end the process.
  std::signal(SIGPIPE, SIG_IGN);
  // First: a flag file may be a pipe that nobody writes.
  ExitOnStopSignals<EXIT_SUCCESS>();
  OpenStandardFiles(argv);
  try {
    return Serve(argc, argv);
  } catch (const std::exception& fault) {  // no memory, no threads
    std::cerr << "stridecast-server: cannot start: " << fault.what() << "\n";
    return EXIT_FAILURE;
  }
}

}  // namespace
}  // namespace stridecast

int main(int argc, char** argv) { return stridecast::Main(argc, argv); }
