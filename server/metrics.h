// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What Prometheus is told: figures of calls, counted as they end, and figures
// of the moment, read when it asks. README.md lists them.

#ifndef STRIDECAST_SERVER_METRICS_H_
#define STRIDECAST_SERVER_METRICS_H_

#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/histogram.h"
#include "prometheus/metric_family.h"
#include "prometheus/registry.h"
#include "server/call_record.h"

namespace stridecast {

class Metrics final : public CallObserver {
 public:
  Metrics();

  void OnCallEnd(const CallRecord& record) override;

  // All figures in Prometheus' text format; `of_the_moment` are added to those
  // counted here.
  std::string Scrape(std::vector<prometheus::MetricFamily> of_the_moment) const;

 private:
  static constexpr size_t kNumCodes = 17;  // of gRPC
  static constexpr size_t kNumMethods = std::size(kAllMethods);

  prometheus::Registry registry_;
  // All, from the start: a rate needs the zero before the first.
  std::array<std::array<prometheus::Counter*, kNumCodes>, kNumMethods>
      requests_;
  std::array<prometheus::Histogram*, kNumMethods> durations_;
  std::array<prometheus::Histogram*, std::size(kOurStages)> stages_;
  prometheus::Counter* bytes_in_;
  prometheus::Counter* bytes_out_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_METRICS_H_
