// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/measure.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/engine/engine.h"
#include "stridecast/float16.h"
#include "tests/bench/limit.h"
#include "tests/bench/quantile.h"

namespace stridecast::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Memory that is there already, in huge pages where the system has them.
class Buffer {
 public:
  explicit Buffer(int64_t size_bytes)
      : size_(static_cast<size_t>(size_bytes)),
        mapped_((size_ + kHugePage - 1) / kHugePage * kHugePage + kHugePage) {
    map_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map_ == MAP_FAILED) std::abort();
    madvise(map_, mapped_, MADV_HUGEPAGE);
    const auto address = reinterpret_cast<uintptr_t>(map_);
    data_ = reinterpret_cast<std::byte*>((address + kHugePage - 1) / kHugePage *
                                         kHugePage);
    std::memset(data_, 0, size_);
  }
  ~Buffer() { munmap(map_, mapped_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  absl::Span<std::byte> span() const { return {data_, size_}; }

 private:
  static constexpr size_t kHugePage = size_t{2} << 20;
  size_t size_;
  size_t mapped_;
  void* map_;
  std::byte* data_;
};

// Numbers from 0.5 to 2, or small integers.
void Fill(DType type, uint32_t seed, absl::Span<std::byte> bytes) {
  std::minstd_rand random(seed);
  constexpr size_t kPeriod = 8192;  // a multiple of every element
  std::vector<std::byte> some(kPeriod);
  for (size_t i = 0; i < kPeriod;
       i += static_cast<size_t>(ElementBytes(type))) {
    const double value = 0.5 + static_cast<double>(random() % 1024) / 682;
    const float narrow = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, 4);
    switch (type) {
      case DType::kF32:
        std::memcpy(&some[i], &narrow, 4);
        break;
      case DType::kF64:
        std::memcpy(&some[i], &value, 8);
        break;
      case DType::kBF16:
        bits >>= 16;
        std::memcpy(&some[i], &bits, 2);
        break;
      case DType::kF16: {
        const uint16_t half = 0x3800 + static_cast<uint16_t>(random() % 0x800);
        std::memcpy(&some[i], &half, 2);
        break;
      }
      default:
        some[i] = static_cast<std::byte>(random() % 200);
    }
  }
  for (size_t at = 0; at < bytes.size(); at += kPeriod) {
    std::memcpy(bytes.data() + at, some.data(),
                std::min(kPeriod, bytes.size() - at));
  }
}

// Of an operand: of the cache lines that elements lie in. Padding is not read.
size_t BytesToRead(const TensorDesc& desc) {
  struct Dim {
    int64_t stride;
    int64_t extent;
  };
  std::vector<Dim> dims;  // innermost last
  const DimVector strides = desc.byte_strides();
  for (int d = 0; d < desc.rank(); ++d) {
    const int64_t extent = desc.shape().extent(d);
    if (strides[d] == 0 || extent == 1) continue;
    dims.push_back({std::abs(strides[d]), extent});
  }
  std::sort(dims.begin(), dims.end(),
            [](const Dim& a, const Dim& b) { return a.stride > b.stride; });
  int64_t run_bytes = desc.element_bytes();
  while (!dims.empty() && dims.back().stride == run_bytes) {
    run_bytes *= dims.back().extent;
    dims.pop_back();
  }
  constexpr int64_t kLine = 64;
  int64_t num_lines = 0;
  int64_t next_line = 0;  // the first that is not counted
  std::vector<int64_t> index(dims.size(), 0);
  for (int64_t begin = 0;;) {
    const int64_t end = (begin + run_bytes + kLine - 1) / kLine;
    num_lines += std::max<int64_t>(end - std::max(next_line, begin / kLine), 0);
    next_line = std::max(next_line, end);
    size_t d = dims.size();
    for (; d > 0; --d) {
      begin += dims[d - 1].stride;
      if (++index[d - 1] < dims[d - 1].extent) break;
      begin -= dims[d - 1].stride * dims[d - 1].extent;
      index[d - 1] = 0;
    }
    if (d == 0) break;
  }
  return static_cast<size_t>(std::min(num_lines * kLine, desc.size_bytes()));
}

// memcpy of as many bytes as the case moves, in its buffers: from the first
// source to the first result, or if one of them is much the smaller between the
// halves of the other; how much of it that is.
struct CopyLimit {
  absl::Span<std::byte> from;
  absl::Span<std::byte> to;
  double share;
};

CopyLimit CopyLimitOf(const BoundCase& bound) {
  absl::Span<std::byte> from =
      bound.sources().empty() ? absl::Span<std::byte>() : bound.sources()[0];
  absl::Span<std::byte> to = bound.results()[0];
  if (std::min(from.size(), to.size()) <
      static_cast<size_t>(bound.bytes()) / 4) {
    const absl::Span<std::byte> greater = from.size() > to.size() ? from : to;
    from = greater.first(greater.size() / 2);
    to = greater.subspan(greater.size() - from.size());
  }
  const size_t size = std::min(from.size(), to.size());
  return {from.first(size), to.first(size),
          2 * static_cast<double>(size) / static_cast<double>(bound.bytes())};
}

const Engine& EngineOf(int num_threads) {
  static const auto* all = Engine::Create({}).value().release();
  if (num_threads == 0) return *all;
  EngineOptions options;
  options.num_threads = num_threads;
  static const auto* one = Engine::Create(options).value().release();
  return *one;
}

// The time of one call, which is repeated if it is short.
template <class F>
double Time(const F& call) {
  for (int repetitions = 1;; repetitions *= 8) {
    const auto start = Clock::now();
    for (int i = 0; i < repetitions; ++i) call();
    const double seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    if (seconds > 50e-6) return seconds / repetitions;
  }
}

}  // namespace

struct BoundCase::Parts {
  std::shared_ptr<const Plan> plan;
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<SegmentedBytes> operands;
  std::vector<absl::Span<std::byte>> sources;
  std::vector<absl::Span<std::byte>> results;
  absl::Span<std::byte> scratch;
};

BoundCase::BoundCase(const Case& c)
    : signature_(c.signature),
      num_threads_(c.num_threads),
      parts_(std::make_unique<Parts>()) {
  auto plan = EngineOf(c.num_threads).Prepare(c.signature);
  if (!plan.ok()) {
    std::fprintf(stderr, "%s: %s\n", c.name.c_str(),
                 plan.status().ToString().c_str());
    std::exit(1);
  }
  Parts& parts = *parts_;
  parts.plan = *std::move(plan);
  const auto add = [&](int64_t size_bytes) {
    parts.buffers.push_back(std::make_unique<Buffer>(size_bytes));
    return parts.buffers.back()->span();
  };
  for (const TensorDesc& desc : parts.plan->operands()) {
    const absl::Span<std::byte> buffer = add(desc.size_bytes());
    Fill(desc.type(), static_cast<uint32_t>(parts.buffers.size()), buffer);
    parts.operands.push_back(SegmentedBytes(buffer.data(), desc.size_bytes()));
    parts.sources.push_back(buffer.first(BytesToRead(desc)));
    bytes_ += static_cast<int64_t>(parts.sources.back().size());
  }
  for (const TensorDesc& desc : parts.plan->results()) {
    parts.results.push_back(add(desc.size_bytes()));
    bytes_ += desc.size_bytes();
  }
  parts.scratch = add(parts.plan->scratch_bytes());
}

BoundCase::~BoundCase() = default;

void BoundCase::Run() const {
  const Bindings bindings{parts_->operands, parts_->results, parts_->scratch};
  if (!parts_->plan->Run(bindings).ok()) std::abort();
}

void BoundCase::PrepareAndRun() const {
  const Bindings bindings{parts_->operands, parts_->results, parts_->scratch};
  const auto plan = EngineOf(num_threads_).Prepare(signature_);
  if (!plan.ok() || !(*plan)->Run(bindings).ok()) std::abort();
}

double BoundCase::cost_ns() const { return parts_->plan->cost_ns(); }

absl::Span<const absl::Span<std::byte>> BoundCase::sources() const {
  return parts_->sources;
}

absl::Span<const absl::Span<std::byte>> BoundCase::results() const {
  return parts_->results;
}

namespace {

// What a case is measured against, and how long that took, turn by turn.
struct Baseline {
  const char* name;
  std::function<void()> run;
  double share = 1;  // of the case's work that it does
  bool by_lines = false;
  std::vector<double> seconds = {};

  double Seconds() const { return Quantile(seconds, 0.5) / share; }
};

using Buffers = absl::Span<const absl::Span<std::byte>>;

std::vector<Baseline> LimitsOf(const BoundCase& bound, int num_threads) {
  const Buffers sources = bound.sources();
  const Buffers results = bound.results();
  const CopyLimit copy = CopyLimitOf(bound);
  std::vector<Baseline> limits;
  limits.push_back({"memcpy", [=] { RunCopy(num_threads, copy.from, copy.to); },
                    copy.share});
  const auto add = [&](const char* name, bool past_cache, auto run) {
    limits.push_back(
        {name, [=] { run(past_cache, num_threads, sources, results); }});
  };
  add("stream", false, RunStream);
  add("stream past cache", true, RunStream);
  if (TakesLines(sources, results)) {
    for (const bool past_cache : {false, true}) {
      add(past_cache ? "lines past cache" : "lines", past_cache, RunLines);
      limits.back().by_lines = true;
    }
  }
  return limits;
}

Baseline LoopByHand(HandWritten loop, const BoundCase& bound, int num_threads) {
  std::vector<const float*> pointers;
  for (const auto& source : bound.sources()) {
    pointers.push_back(reinterpret_cast<const float*>(source.data()));
  }
  const absl::Span<std::byte> result = bound.results()[0];
  return {"loop", [=] {
            auto* to = reinterpret_cast<float*>(result.data());
            const auto n = static_cast<int64_t>(result.size() / 4);
            OnThreads(num_threads, [&](int thread) {
              loop(pointers.data(), to, n * thread / num_threads,
                   n * (thread + 1) / num_threads);
            });
          }};
}

// Those that are not the fastest of their kind any more.
void DropSlow(std::vector<Baseline>& baselines) {
  double least[2] = {std::numeric_limits<double>::max(),
                     std::numeric_limits<double>::max()};
  for (const Baseline& b : baselines) {
    least[b.by_lines] = std::min(least[b.by_lines], b.Seconds());
  }
  std::erase_if(baselines, [&](const Baseline& b) {
    return b.Seconds() > 1.05 * least[b.by_lines];
  });
}

// In the buffers of one draw.
Measurement MeasureBound(const Case& c, const BoundCase& bound,
                         double seconds) {
  const int num_threads = EngineOf(c.num_threads).num_threads();
  Measurement measurement;
  measurement.bytes = bound.bytes();
  std::unique_ptr<const BoundCase> one_thread;
  std::vector<Baseline> baselines;
  const bool prepares = c.seconds_with_prepare > 0;
  if (prepares) {
    measurement.baseline = "target";
    measurement.baseline_seconds = c.seconds_with_prepare;
  } else if (c.estimated) {
    measurement.baseline = "estimate";
    measurement.baseline_seconds = bound.cost_ns() * 1e-9;
  } else if (!c.hand_written.empty()) {
    for (const HandWritten loop : c.hand_written) {
      baselines.push_back(LoopByHand(loop, bound, num_threads));
    }
  } else if (c.scales) {
    Case alone = c;
    alone.num_threads = 1;
    one_thread = std::make_unique<BoundCase>(alone);
    baselines.push_back({"one thread", [&] { one_thread->Run(); }});
  } else {
    baselines = LimitsOf(bound, num_threads);
  }
  const std::function<void()> run = [&] {
    if (prepares) {
      bound.PrepareAndRun();
    } else {
      bound.Run();
    }
  };
  constexpr int kTrialTurns = 3;
  std::vector<double> ours;
  const auto start = Clock::now();
  for (int turn = 0;
       turn < 2 * kTrialTurns ||
       std::chrono::duration<double>(Clock::now() - start).count() < seconds;
       ++turn) {
    if (c.is_cached) run();
    ours.push_back(Time(run));
    for (Baseline& baseline : baselines) {
      if (c.is_cached) baseline.run();
      baseline.seconds.push_back(Time(baseline.run));
    }
    if (turn + 1 == kTrialTurns) DropSlow(baselines);
  }
  measurement.seconds = Quantile(ours, 0.5);
  for (const Baseline& baseline : baselines) {
    const double least = baseline.Seconds() + c.seconds_over;
    if (measurement.baseline_seconds == 0 ||
        least < measurement.baseline_seconds) {
      measurement.baseline = baseline.name;
      measurement.baseline_seconds = least;
    }
    if (!baseline.by_lines && (measurement.piecewise_seconds == 0 ||
                               least < measurement.piecewise_seconds)) {
      measurement.piecewise_seconds = least;
    }
  }
  return measurement;
}

}  // namespace

Measurement Measure(const Case& c, double seconds) {
  constexpr int kDraws = 3;
  std::vector<Measurement> draws;
  std::unique_ptr<const BoundCase> last;
  for (int draw = 0; draw < kDraws; ++draw) {
    // While the last one still holds its memory.
    auto bound = std::make_unique<const BoundCase>(c);
    draws.push_back(MeasureBound(c, *bound, seconds / kDraws));
    last = std::move(bound);
  }
  std::sort(draws.begin(), draws.end(),
            [](const Measurement& a, const Measurement& b) {
              return a.ratio() < b.ratio();
            });
  Measurement median = draws[kDraws / 2];
  median.least_ratio = draws.front().ratio();
  median.greatest_ratio = draws.back().ratio();
  return median;
}

}  // namespace stridecast::bench
