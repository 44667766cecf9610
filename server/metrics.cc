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

std::string ToLabel(absl::string_view text) { return std::string(text); }

}  // namespace

Metrics::Metrics()
    : requests_(prometheus::BuildCounter()
                    .Name("stridecast_requests_total")
                    .Help("Calls that have ended, by method and status")
                    .Register(registry_)) {
  auto& durations = prometheus::BuildHistogram()
                        .Name("stridecast_request_duration_seconds")
                        .Help(
                            "From a call's arrival until the transport has "
                            "its reply")
                        .Register(registry_);
  for (const Method method : kAllMethods) {
    RequestsOf(method, absl::StatusCode::kOk);  // rates need a first value
    durations_[static_cast<size_t>(method)] = &durations.Add(
        {{"method", ToLabel(MethodName(method))}}, DurationBuckets());
  }
  auto& stages = prometheus::BuildHistogram()
                     .Name("stridecast_stage_duration_seconds")
                     .Help(
                         "The stages of a call: decode, plan, queue, "
                         "compute, reply; of a stream their sums")
                     .Register(registry_);
  for (size_t i = 0; i < stages_.size(); ++i) {
    stages_[i] = &stages.Add({{"stage", ToLabel(StageName(kOurStages[i]))}},
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
  RequestsOf(record.method(), record.code()).Increment();
  durations_[static_cast<size_t>(record.method())]->Observe(
      Seconds(record.duration()).count());
  // Of calls that got that far: a call that was refused has no stages.
  for (size_t i = 0; i < stages_.size(); ++i) {
    const auto duration = record.stage(kOurStages[i]);
    if (duration.count() > 0) stages_[i]->Observe(Seconds(duration).count());
  }
  bytes_in_->Increment(static_cast<double>(record.request_bytes));
  bytes_out_->Increment(static_cast<double>(record.reply_bytes));
}

prometheus::Counter& Metrics::RequestsOf(Method method, absl::StatusCode code) {
  std::atomic<prometheus::Counter*>& known =
      known_requests_[static_cast<size_t>(method)][static_cast<size_t>(code)];
  if (prometheus::Counter* const counter = known.load()) return *counter;
  // Whoever adds the same labels at the same time gets the same counter.
  prometheus::Counter& counter =
      requests_.Add({{"method", ToLabel(MethodName(method))},
                     {"code", absl::StatusCodeToString(code)}});
  known = &counter;
  return counter;
}

std::string Metrics::Scrape(
    std::vector<prometheus::MetricFamily> of_the_moment) const {
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  std::move(of_the_moment.begin(), of_the_moment.end(),
            std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace stridecast
