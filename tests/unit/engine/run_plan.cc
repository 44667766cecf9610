// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/engine/run_plan.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace stridecast::testing {
namespace {

constexpr std::byte kSentinel{0x5A};
constexpr std::byte kRubbish{0xA5};
constexpr int64_t kSentinels = 64;

// Bytes that nothing may read, as far as that can be arranged.
void SetReadable(std::byte* data, int64_t size, bool readable) {
#if defined(__SANITIZE_ADDRESS__)
  if (readable) {
    __asan_unpoison_memory_region(data, static_cast<size_t>(size));
  } else {
    __asan_poison_memory_region(data, static_cast<size_t>(size));
  }
#else
  (void)data, (void)size, (void)readable;
#endif
}

constexpr int64_t kPage = 4096;

// Pages with one that nothing may access before or after them. To map some
// takes longer than most runs, so they are kept for the next.
struct FencedPages {
  std::byte* begin = nullptr;  // of those that may be accessed
  int64_t usable_bytes = 0;
  bool fence_before = false;

  static FencedPages Take(int64_t usable_bytes, bool fence_before) {
    std::vector<FencedPages>& kept = Kept(usable_bytes, fence_before);
    if (!kept.empty()) {
      const FencedPages pages = kept.back();
      kept.pop_back();
      return pages;
    }
    void* mapped =
        mmap(nullptr, static_cast<size_t>(usable_bytes + kPage),
             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) std::abort();
    auto* begin = static_cast<std::byte*>(mapped);
    std::byte* fence = fence_before ? begin : begin + usable_bytes;
    if (mprotect(fence, kPage, PROT_NONE) != 0) std::abort();
    return {fence_before ? begin + kPage : begin, usable_bytes, fence_before};
  }
  static void Keep(const FencedPages& pages) {
    Kept(pages.usable_bytes, pages.fence_before).push_back(pages);
  }

 private:
  static std::vector<FencedPages>& Kept(int64_t usable_bytes,
                                        bool fence_before) {
    thread_local std::map<std::pair<int64_t, bool>, std::vector<FencedPages>>
        kept;
    return kept[{usable_bytes, fence_before}];
  }
};

// Memory of exactly `size` bytes. What lies around it may not be written, and
// that right before or right after it not even be read: a page without access,
// or the address sanitizer's red zone.
class GuardedBuffer {
 public:
  GuardedBuffer(int64_t size, Random& random) : size_(size) {
    const int64_t gap = random.Below(kSentinels);  // an odd address
#if defined(__SANITIZE_ADDRESS__)
    Allocate(gap, 0);
#else
    switch (random.Below(3)) {
      case 0:
        Allocate(gap, kSentinels);
        break;
      case 1:
        Map(true);
        break;
      default:
        Map(false);
    }
#endif
    std::memset(data_ - leading_, static_cast<int>(kSentinel),
                static_cast<size_t>(leading_ + size_ + trailing_));
    std::memset(data_, static_cast<int>(kRubbish), static_cast<size_t>(size_));
  }
  GuardedBuffer(GuardedBuffer&& other) noexcept
      : size_(other.size_),
        leading_(other.leading_),
        trailing_(other.trailing_),
        data_(other.data_),
        heap_(std::move(other.heap_)),
        pages_(std::exchange(other.pages_, {})) {}
  ~GuardedBuffer() {
    if (heap_ != nullptr) SetReadable(data_, size_, true);
    if (pages_.begin != nullptr) FencedPages::Keep(pages_);
  }

  std::byte* data() const { return data_; }
  int64_t size() const { return size_; }
  absl::Span<std::byte> span() const {
    return {data_, static_cast<size_t>(size_)};
  }
  bool IsIntact() const {
    const auto is_sentinel = [](std::byte b) { return b == kSentinel; };
    return std::all_of(data_ - leading_, data_, is_sentinel) &&
           std::all_of(data_ + size_, data_ + size_ + trailing_, is_sentinel);
  }

 private:
  void Allocate(int64_t leading, int64_t trailing) {
    leading_ = leading;
    trailing_ = trailing;
    heap_.reset(new std::byte[static_cast<size_t>(leading + size_ + trailing)]);
    data_ = heap_.get() + leading;
  }

  // Whole pages, with the one without access before or after them.
  void Map(bool fence_before) {
    const int64_t usable = (size_ + kPage - 1) / kPage * kPage;
    pages_ = FencedPages::Take(usable, fence_before);
    const int64_t sentinels = std::min(usable - size_, kSentinels);
    data_ = fence_before ? pages_.begin : pages_.begin + usable - size_;
    (fence_before ? trailing_ : leading_) = sentinels;
  }

  int64_t size_;
  int64_t leading_ = 0;  // sentinels
  int64_t trailing_ = 0;
  std::byte* data_ = nullptr;
  std::unique_ptr<std::byte[]> heap_;
  FencedPages pages_;
};

// An operand in pieces, filled from the front as a stream would.
class Feed {
 public:
  Feed(const Bytes& bytes, bool in_pieces, Random& random) : bytes_(bytes) {
    const auto total = static_cast<int64_t>(bytes.size());
    // Some hundreds of pieces at most: each may be a mapping of its own.
    const int64_t greatest = random.OneIn(4) ? std::max<int64_t>(3, total / 200)
                                             : std::max<int64_t>(total, 1);
    for (int64_t begin = 0; begin < total;) {
      const int64_t left = total - begin;
      const int64_t size =
          in_pieces ? std::min(left, random.Between(1, greatest)) : left;
      pieces_.emplace_back(size, random);
      SetReadable(pieces_.back().data(), size, false);
      begin += size;
    }
    for (const GuardedBuffer& piece : pieces_) {
      segments_.Append(piece.data(), piece.size());
    }
  }

  const SegmentedBytes& segments() const { return segments_; }

  // Bytes [begin, end) alone, which must have been filled.
  SegmentedBytes Window(int64_t begin, int64_t end) const {
    SegmentedBytes window(begin);
    int64_t at = 0;
    for (const GuardedBuffer& piece : pieces_) {
      const int64_t skipped = std::clamp<int64_t>(begin - at, 0, piece.size());
      const int64_t count = std::min(end - at, piece.size()) - skipped;
      if (count > 0) window.Append(piece.data() + skipped, count);
      at += piece.size();
    }
    return window;
  }

  void FillTo(int64_t end) {
    int64_t begin = 0;
    for (const GuardedBuffer& piece : pieces_) {
      const int64_t count = std::clamp<int64_t>(end - begin, 0, piece.size());
      SetReadable(piece.data(), piece.size(), true);
      std::memcpy(piece.data(), bytes_.data() + begin,
                  static_cast<size_t>(count));
      SetReadable(piece.data() + count, piece.size() - count, false);
      begin += piece.size();
    }
  }

 private:
  const Bytes& bytes_;
  std::vector<GuardedBuffer> pieces_;
  SegmentedBytes segments_;
};

struct FreeDeleter {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using ScratchMemory = std::unique_ptr<std::byte, FreeDeleter>;

ScratchMemory MakeScratch(int64_t size) {
  void* memory = nullptr;
  if (posix_memalign(&memory, 64,
                     static_cast<size_t>(std::max<int64_t>(size, 1))) != 0)
    std::abort();
  std::memset(memory, static_cast<int>(kRubbish), static_cast<size_t>(size));
  return ScratchMemory(static_cast<std::byte*>(memory));
}

std::string FirstDifference(int result, absl::Span<const std::byte> got,
                            const Bytes& expected, int64_t count,
                            const TensorDesc& desc) {
  const auto end = static_cast<size_t>(count);
  const size_t at = static_cast<size_t>(
      std::mismatch(got.begin(), got.begin() + end, expected.begin()).first -
      got.begin());
  if (at == end) return "";
  const auto width = static_cast<size_t>(desc.element_bytes());
  const size_t slot = at / width;
  const auto hex = [&](const std::byte* data) {
    std::string text;
    for (size_t k = 0; k < width; ++k) {
      absl::StrAppend(
          &text, absl::Hex(static_cast<unsigned>(data[k]), absl::kZeroPad2));
    }
    return text;
  };
  return absl::StrCat("result ", result, " slot ", slot, " of ",
                      expected.size() / width, ": bytes ",
                      hex(got.data() + slot * width), ", expected ",
                      hex(expected.data() + slot * width), "\n");
}

std::vector<int64_t> RandomSteps(int64_t num_steps, bool in_ranges,
                                 Random& random) {
  std::vector<int64_t> steps = {0, num_steps};
  if (in_ranges) {
    for (int i = 0; i < 4; ++i) steps.push_back(random.Between(0, num_steps));
  }
  std::sort(steps.begin(), steps.end());
  // An empty range is no step; a plan has at least one.
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

// Each range with no more of streamed operands and of results than it needs.
std::string CheckRunInWindows(const Plan& plan,
                              absl::Span<const Bytes> operands,
                              absl::Span<const Bytes> expected,
                              Random& random) {
  std::vector<Feed> feeds;
  feeds.reserve(operands.size());
  for (const Bytes& operand : operands) {
    feeds.emplace_back(operand,
                       plan.IsOperandStreamed(static_cast<int>(feeds.size())),
                       random);
    feeds.back().FillTo(static_cast<int64_t>(operand.size()));
  }
  const ScratchMemory scratch = MakeScratch(plan.scratch_bytes());
  const auto steps = RandomSteps(plan.num_outer_steps(), true, random);
  for (size_t s = 0; s + 1 < steps.size(); ++s) {
    std::vector<SegmentedBytes> bound;
    for (size_t i = 0; i < feeds.size(); ++i) {
      const int operand = static_cast<int>(i);
      bound.push_back(
          plan.IsOperandStreamed(operand)
              ? feeds[i].Window(plan.OperandBegin(operand, steps[s]),
                                plan.OperandBytes(operand, steps[s + 1]))
              : feeds[i].segments());
    }
    std::vector<GuardedBuffer> results;
    std::vector<absl::Span<std::byte>> spans;
    std::vector<int64_t> begins;
    for (size_t r = 0; r < expected.size(); ++r) {
      const int result = static_cast<int>(r);
      begins.push_back(plan.ResultBytes(result, steps[s]));
      results.emplace_back(
          plan.ResultBytes(result, steps[s + 1]) - begins.back(), random);
      spans.push_back(results.back().span());
    }
    const Bindings bindings{
        bound,
        spans,
        {scratch.get(), static_cast<size_t>(plan.scratch_bytes())},
        begins};
    const absl::Status status =
        plan.Run(bindings, OuterRange{steps[s], steps[s + 1]}, CancelToken());
    if (!status.ok()) return absl::StrCat("Run: ", status.message());
    for (size_t r = 0; r < results.size(); ++r) {
      const auto first = static_cast<std::ptrdiff_t>(begins[r]);
      const Bytes part(expected[r].begin() + first,
                       expected[r].begin() + first + results[r].size());
      std::string wrong = FirstDifference(static_cast<int>(r), spans[r], part,
                                          results[r].size(), plan.results()[r]);
      if (!results[r].IsIntact()) wrong += "bytes around it were written\n";
      if (wrong.empty()) continue;
      return absl::StrCat("in windows, steps [", steps[s], ",", steps[s + 1],
                          ") of ", plan.num_outer_steps(), ", from byte ",
                          begins[r], ": ", wrong);
    }
  }
  return "";
}

}  // namespace

std::string CheckRun(const Plan& plan, absl::Span<const Bytes> operands,
                     absl::Span<const Bytes> expected, bool in_ranges,
                     Random random) {
  if (in_ranges && random.OneIn(2)) {
    return CheckRunInWindows(plan, operands, expected, random);
  }
  std::vector<Feed> feeds;
  feeds.reserve(operands.size());
  std::vector<SegmentedBytes> bound;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool streamed = plan.IsOperandStreamed(static_cast<int>(i));
    feeds.emplace_back(operands[i], streamed && in_ranges, random);
    if (!streamed)
      feeds.back().FillTo(static_cast<int64_t>(operands[i].size()));
    bound.push_back(feeds.back().segments());
  }
  std::vector<GuardedBuffer> results;
  std::vector<absl::Span<std::byte>> spans;
  for (const TensorDesc& desc : plan.results()) {
    results.emplace_back(desc.size_bytes(), random);
    spans.push_back(results.back().span());
  }
  const ScratchMemory scratch = MakeScratch(plan.scratch_bytes());
  const Bindings bindings{
      bound, spans, {scratch.get(), static_cast<size_t>(plan.scratch_bytes())}};

  std::string wrong;
  const auto steps = RandomSteps(plan.num_outer_steps(), in_ranges, random);
  for (size_t s = 0; s + 1 < steps.size(); ++s) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!plan.IsOperandStreamed(static_cast<int>(i))) continue;
      feeds[i].FillTo(plan.OperandBytes(static_cast<int>(i), steps[s + 1]));
    }
    const absl::Status status =
        plan.Run(bindings, OuterRange{steps[s], steps[s + 1]}, CancelToken());
    if (!status.ok()) return absl::StrCat("Run: ", status.message());
    for (size_t r = 0; r < results.size(); ++r) {
      const int result = static_cast<int>(r);
      const std::string difference = FirstDifference(
          result, spans[r], expected[r], plan.ResultBytes(result, steps[s + 1]),
          plan.results()[r]);
      if (difference.empty()) continue;
      absl::StrAppend(&wrong, "after steps [0,", steps[s + 1], ") of ",
                      plan.num_outer_steps(), " ", difference);
    }
    if (!wrong.empty()) return wrong;
  }
  for (size_t r = 0; r < results.size(); ++r) {
    wrong += FirstDifference(static_cast<int>(r), spans[r], expected[r],
                             results[r].size(), plan.results()[r]);
    if (!results[r].IsIntact()) {
      absl::StrAppend(&wrong, "result ", r, ": bytes around it were written\n");
    }
  }
  return wrong;
}

std::vector<Bytes> RunWhole(const Plan& plan,
                            absl::Span<const Bytes> operands) {
  std::vector<SegmentedBytes> bound;
  for (const Bytes& operand : operands) {
    bound.emplace_back(operand.data(), static_cast<int64_t>(operand.size()));
  }
  std::vector<Bytes> results;
  std::vector<absl::Span<std::byte>> spans;
  for (const TensorDesc& desc : plan.results()) {
    results.emplace_back(static_cast<size_t>(desc.size_bytes()), kRubbish);
  }
  for (Bytes& result : results) spans.push_back(absl::MakeSpan(result));
  const ScratchMemory scratch = MakeScratch(plan.scratch_bytes());
  const absl::Status status = plan.Run(
      Bindings{bound,
               spans,
               {scratch.get(), static_cast<size_t>(plan.scratch_bytes())}});
  EXPECT_TRUE(status.ok()) << status;
  return results;
}

std::string CheckPlan(const Plan& plan, const Signature& signature,
                      absl::Span<const Bytes> expected) {
  std::string wrong;
  const auto require = [&](bool holds, const auto&... what) {
    if (!holds) absl::StrAppend(&wrong, "plan: ", what..., "\n");
  };
  const int64_t num_steps = plan.num_outer_steps();
  require(num_steps >= 1, num_steps, " outer steps");
  require(plan.scratch_bytes() >= 0, plan.scratch_bytes(), " scratch bytes");
  require(plan.cost_ns() >= 0, plan.cost_ns(), " ns");
  require(plan.operands().size() == signature.operands.size(), "operands");
  require(plan.results().size() == expected.size(), "results");
  if (!wrong.empty()) return wrong;
  // A handful of steps from 0 to the last.
  std::vector<int64_t> steps;
  for (int64_t i = 0; i <= 8; ++i) steps.push_back(num_steps * i / 8);
  for (size_t i = 0; i < plan.operands().size(); ++i) {
    const auto operand = static_cast<int>(i);
    require(
        plan.operands()[i].size_bytes() == signature.operands[i].size_bytes(),
        "size of operand ", i);
    int64_t previous = 0;
    for (int64_t step : steps) {
      const int64_t bytes = plan.OperandBytes(operand, step);
      require(bytes >= previous && bytes <= plan.operands()[i].size_bytes(),
              "operand ", i, " needs ", bytes, " bytes for ", step, " steps, ",
              previous, " for fewer");
      previous = bytes;
    }
  }
  for (size_t r = 0; r < expected.size(); ++r) {
    const auto result = static_cast<int>(r);
    const auto size = static_cast<int64_t>(expected[r].size());
    require(plan.results()[r].size_bytes() == size, "size of result ", r,
            " is ", plan.results()[r].size_bytes(), ", expected ", size);
    int64_t previous = 0;
    for (int64_t step : steps) {
      const int64_t bytes = plan.ResultBytes(result, step);
      require(bytes >= previous && bytes <= size, "result ", r, " has ", bytes,
              " bytes after ", step, " steps, ", previous, " after fewer");
      previous = bytes;
    }
    require(plan.ResultBytes(result, num_steps) == size, "result ", r,
            " ends with ", plan.ResultBytes(result, num_steps), " bytes of ",
            size);
  }
  return wrong;
}

std::vector<Bytes> RunOn(const std::string& target, const Signature& signature,
                         const std::vector<Bytes>& operands) {
  std::vector<Bytes> results[2];
  for (const bool past_cache : {false, true}) {
    EngineOptions options;
    options.num_threads = 1;
    options.simd_target = target;
    options.cache_bytes = past_cache ? 1 : int64_t{1} << 30;
    const auto engine = Engine::Create(options).value();
    const auto plan = engine->Prepare(signature);
    EXPECT_TRUE(plan.ok()) << plan.status();
    results[past_cache] = RunWhole(**plan, operands);
  }
  EXPECT_TRUE(results[0] == results[1]) << "past the caches";
  return results[0];
}

}  // namespace stridecast::testing
