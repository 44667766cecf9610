// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/measure.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "core/engine/engine.h"
#include "stridecast/float16.h"
#include "tests/bench/limit.h"

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
void Fill(DType type, absl::Span<std::byte> bytes) {
  std::minstd_rand random(1);
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

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
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
    Fill(desc.type(), buffer);
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

Measurement Measure(const Case& c, double seconds) {
  const int num_threads = EngineOf(c.num_threads).num_threads();
  const BoundCase bound(c);
  const auto sources = bound.sources();
  const auto results = bound.results();
  Measurement measurement;
  measurement.bytes = bound.bytes();
  if (c.estimated) {
    measurement.baseline = "estimate";
    measurement.baseline_seconds = bound.cost_ns() * 1e-9;
  }
  const CopyLimit copy = CopyLimitOf(bound);
  const bool prepares = c.seconds_with_prepare > 0;
  if (prepares) {
    measurement.baseline = "target";
    measurement.baseline_seconds = c.seconds_with_prepare;
  }
  std::unique_ptr<const BoundCase> one_thread;
  if (c.scales) {
    Case alone = c;
    alone.num_threads = 1;
    one_thread = std::make_unique<BoundCase>(alone);
  }
  const auto run = [&] {
    if (prepares) {
      bound.PrepareAndRun();
    } else {
      bound.Run();
    }
  };
  std::vector<const float*> pointers;
  for (const auto& source : sources) {
    pointers.push_back(reinterpret_cast<const float*>(source.data()));
  }
  const auto run_by_hand = [&] {
    auto* to = reinterpret_cast<float*>(results[0].data());
    const auto n = static_cast<int64_t>(results[0].size() / 4);
    OnThreads(num_threads, [&](int thread) {
      c.hand_written(pointers.data(), to, n * thread / num_threads,
                     n * (thread + 1) / num_threads);
    });
  };

  std::vector<double> ours;
  std::vector<double> baselines[3];
  const auto start = Clock::now();
  for (int turn = 0;
       turn < 7 ||
       std::chrono::duration<double>(Clock::now() - start).count() < seconds;
       ++turn) {
    ours.push_back(Time(run));
    if (measurement.baseline_seconds > 0) continue;
    if (c.hand_written != nullptr) {
      baselines[0].push_back(Time(run_by_hand));
      continue;
    }
    if (c.scales) {
      baselines[0].push_back(Time([&] { one_thread->Run(); }));
      continue;
    }
    baselines[0].push_back(
        Time([&] { RunCopy(num_threads, copy.from, copy.to); }) / copy.share);
    baselines[1].push_back(
        Time([&] { RunStream(false, num_threads, sources, results); }));
    baselines[2].push_back(
        Time([&] { RunStream(true, num_threads, sources, results); }));
  }
  measurement.seconds = Median(ours);
  if (measurement.baseline_seconds > 0) return measurement;
  measurement.baseline = c.hand_written != nullptr ? "loop"
                         : c.scales                ? "one thread"
                                                   : "memcpy";
  measurement.baseline_seconds = Median(baselines[0]) + c.seconds_over;
  const char* const names[] = {"memcpy", "stream", "stream past cache"};
  for (int i = 1; i < 3 && !baselines[i].empty(); ++i) {
    const double median = Median(baselines[i]);
    if (median >= measurement.baseline_seconds) continue;
    measurement.baseline_seconds = median;
    measurement.baseline = names[i];
  }
  return measurement;
}

}  // namespace stridecast::bench
