// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/server_figures.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "grpcpp/grpcpp.h"
#include "server/process_figures.h"
#include "server/server.h"
#include "server/version.h"

namespace stridecast {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

ClientMetric Value(MetricType type, double value, Labels labels = {}) {
  ClientMetric metric;
  metric.label = std::move(labels);
  if (type == MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  return metric;
}

class Figures {
 public:
  void Add(const char* name, const char* help, MetricType type, double value) {
    families_.push_back({name, help, type, {Value(type, value)}});
  }
  void AddGauge(const char* name, const char* help, int64_t value) {
    Add(name, help, MetricType::Gauge, static_cast<double>(value));
  }
  // One value for each value of the label.
  void AddLabelled(const char* name, const char* help, MetricType type,
                   const char* label,
                   const std::vector<std::pair<const char*, int64_t>>& values) {
    MetricFamily family{name, help, type, {}};
    for (const auto& [label_value, value] : values) {
      family.metric.push_back(
          Value(type, static_cast<double>(value), {{label, label_value}}));
    }
    families_.push_back(std::move(family));
  }
  void AddFamily(MetricFamily family) {
    families_.push_back(std::move(family));
  }

  std::vector<MetricFamily> Take() { return std::move(families_); }

 private:
  std::vector<MetricFamily> families_;
};

void AddCalls(const Server& server, Figures& figures) {
  const CallEnvironment& environment = server.service().environment();
  const ByteBudget& budget = environment.memory->budget;
  const CallSlots& slots = *environment.slots;
  figures.AddGauge("stridecast_inflight_bytes",
                   "Bytes of requests, results and scratch of all calls",
                   budget.inflight_bytes());
  figures.AddGauge("stridecast_inflight_bytes_limit", "--max-inflight-bytes",
                   budget.capacity_bytes());
  figures.AddGauge("stridecast_inflight_calls", "Calls that have not ended",
                   slots.num_taken());
  figures.AddGauge("stridecast_inflight_calls_limit", "--max-inflight-calls",
                   slots.capacity());
  figures.AddGauge("stridecast_queue_depth",
                   "Tasks that no computing thread has begun",
                   environment.figures->num_queued);
  figures.AddLabelled(
      "stridecast_rejected_total",
      "Calls, and connections, that were not admitted, by "
      "the limit they met",
      MetricType::Counter, "reason",
      {{"inflight_bytes",
        budget.num_refused() + environment.unknown_messages->num_refused()},
       {"inflight_calls",
        slots.num_refused() + environment.figures->num_excess.load()},
       {"message_bytes", environment.figures->num_too_large},
       {"draining", budget.num_refused_closed()},
       {"token", server.credentials().num_refused()},
       {"connections", server.acceptor().num_refused()},
       {"memory", server.memory_guard().num_ended()},
       {"cut_off", server.num_cut_off()},
       {"health", server.health().num_refused()},
       {"reflection", server.reflection().has_value()
                          ? server.reflection()->num_refused()
                          : 0}});
  figures.AddGauge("stridecast_connections", "Open connections of callers",
                   server.acceptor().num_open());
  figures.AddGauge("stridecast_connections_limit", "--max-connections",
                   server.acceptor().capacity());
  const BufferPoolStats pool = environment.memory->pool.stats();
  figures.AddLabelled("stridecast_pool_bytes",
                      "Buffers lent to calls, and kept for the next ones",
                      MetricType::Gauge, "state",
                      {{"lent", pool.lent_bytes}, {"idle", pool.idle_bytes}});
  const PlanCache::Counts plans = server.service().plans().counts();
  figures.AddLabelled("stridecast_plan_cache_lookups_total",
                      "Requests whose plan was known (hit) or made (miss)",
                      MetricType::Counter, "outcome",
                      {{"hit", plans.hits}, {"miss", plans.misses}});
  figures.AddGauge("stridecast_memory_bytes_limit",
                   "Of the process, beyond which calls end whose messages are "
                   "on the way: --max-memory-bytes",
                   server.memory_guard().max_bytes());
  figures.AddGauge("stridecast_memory_growing",
                   "1 while memory is a sixteenth above its limit: connections "
                   "that hold most are closed, new ones wait",
                   server.memory_guard().is_growing() ? 1 : 0);
  figures.AddGauge("stridecast_memory_flooded",
                   "1 while new connections wait, as some were closed that "
                   "sent what no call accounts for",
                   server.memory_guard().is_flooded() ? 1 : 0);
  figures.AddGauge("stridecast_ready",
                   "1 while calls are welcome, 0 while draining",
                   server.is_ready() ? 1 : 0);
}

void AddCredentials(const Server& server, Figures& figures) {
  figures.AddLabelled(
      "stridecast_credentials_stale",
      "1 while what is in effect is older than the files, which are faulty",
      MetricType::Gauge, "files",
      {{"tls", server.credentials().is_tls_stale() ? 1 : 0},
       {"tokens", server.credentials().are_tokens_stale() ? 1 : 0}});
  const auto expiry = server.credentials().certificate_expiry();
  if (!expiry) return;
  figures.Add(
      "stridecast_tls_certificate_expiry_timestamp_seconds",
      "End of the first certificate of the chain that ends, seconds "
      "since 1970",
      MetricType::Gauge,
      std::chrono::duration<double>(expiry->time_since_epoch()).count());
}

void AddProcess(Figures& figures) {
  const ProcessFigures process = ReadProcessFigures();
  figures.Add("process_cpu_seconds_total", "CPU time, user and system",
              MetricType::Counter, process.cpu_seconds);
  figures.Add("process_start_time_seconds", "Start, seconds since 1970",
              MetricType::Gauge, process.start_time_seconds);
  figures.AddGauge("process_resident_memory_bytes", "Memory in RAM",
                   process.resident_bytes);
  figures.AddGauge("process_virtual_memory_bytes", "Address space",
                   process.virtual_bytes);
  figures.AddGauge("process_threads", "Threads", process.num_threads);
  figures.AddGauge("process_open_fds", "Open file descriptors",
                   process.num_open_files);
  figures.AddGauge("process_max_fds", "Limit of open file descriptors",
                   process.max_open_files);
}

void AddBuildInfo(const Server& server, Figures& figures) {
  const Labels labels = {
      {"version", kStridecastVersion},
      {"simd_target", std::string(server.engine().simd_target())},
      {"grpc_version", grpc::Version()}};
  figures.AddFamily({"stridecast_build_info",
                     "1; what runs is in the labels",
                     MetricType::Gauge,
                     {Value(MetricType::Gauge, 1, labels)}});
}

}  // namespace

std::vector<MetricFamily> ReadServerFigures(const Server& server) {
  Figures figures;
  AddCalls(server, figures);
  AddCredentials(server, figures);
  AddProcess(figures);
  AddBuildInfo(server, figures);
  return figures.Take();
}

}  // namespace stridecast
