// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/metrics.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "prometheus/text_serializer.h"

namespace stridecast {
namespace {

using Seconds = std::chrono::duration<double>;

// From what the smallest call takes to the default deadline, three a decade.
prometheus::Histogram::BucketBoundaries DurationBuckets() {
  prometheus::Histogram::BucketBoundaries bounds;
  for (double decade = 1e-5; decade < 200; decade *= 10) {
    for (const double step : {1.0, 2.5, 5.0}) bounds.push_back(decade * step);
  }
  return bounds;
}

// Stages are shorter than calls.
prometheus::Histogram::BucketBoundaries StageBuckets() {
  prometheus::Histogram::BucketBoundaries bounds = {1e-6, 2.5e-6, 5e-6};
  for (const double bound : DurationBuckets()) bounds.push_back(bound);
  return bounds;
}

}  // namespace

Metrics::Metrics() {
  auto& requests = prometheus::BuildCounter()
                       .Name("stridecast_requests_total")
                       .Help("Calls that have ended, by method and status")
                       .Register(registry_);
  auto& durations = prometheus::BuildHistogram()
                        .Name("stridecast_request_duration_seconds")
                        .Help(
                            "From a call's arrival until the transport has "
                            "its reply")
                        .Register(registry_);
  for (const Method method : kAllMethods) {
    const std::string name(MethodName(method));
    const auto i = static_cast<size_t>(method);
    for (size_t code = 0; code < kNumCodes; ++code) {
      requests_[i][code] = &requests.Add(
          {{"method", name},
           {"code",
            absl::StatusCodeToString(static_cast<absl::StatusCode>(code))}});
    }
    durations_[i] = &durations.Add({{"method", name}}, DurationBuckets());
  }
  auto& stages = prometheus::BuildHistogram()
                     .Name("stridecast_stage_duration_seconds")
                     .Help(
                         "The stages of a call: decode, plan, queue, "
                         "compute, reply; of a stream their sums")
                     .Register(registry_);
  for (size_t i = 0; i < stages_.size(); ++i) {
    stages_[i] = &stages.Add({{"stage", std::string(StageName(kOurStages[i]))}},
                             StageBuckets());
  }
  auto& bytes = prometheus::BuildCounter()
                    .Name("stridecast_bytes_total")
                    .Help("Bytes of messages, in and out")
                    .Register(registry_);
  bytes_in_ = &bytes.Add({{"direction", "in"}});
  bytes_out_ = &bytes.Add({{"direction", "out"}});
}

void Metrics::OnCallEnd(const CallRecord& record) {
  const auto method = static_cast<size_t>(record.method());
  requests_[method][static_cast<size_t>(record.code())]->Increment();
  durations_[method]->Observe(Seconds(record.duration()).count());
  // Of calls that got that far: a call that was refused has no stages.
  for (size_t i = 0; i < stages_.size(); ++i) {
    const auto duration = record.stage(kOurStages[i]);
    if (duration.count() > 0) stages_[i]->Observe(Seconds(duration).count());
  }
  bytes_in_->Increment(static_cast<double>(record.request_bytes));
  bytes_out_->Increment(static_cast<double>(record.reply_bytes));
}

std::string Metrics::Scrape(
    std::vector<prometheus::MetricFamily> of_the_moment) const {
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  std::move(of_the_moment.begin(), of_the_moment.end(),
            std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace stridecast
