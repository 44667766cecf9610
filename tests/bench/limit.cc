// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/limit.h"

#include <immintrin.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace stridecast::bench {
namespace {

// Streams advance by turns of about this many bytes.
constexpr size_t kPieceBytes = 4096;

// Part `index` of `count` of a buffer, in whole cache lines but for the last.
absl::Span<std::byte> PartOf(absl::Span<std::byte> buffer, size_t index,
                             size_t count) {
  const size_t lines = buffer.size() / 64;
  const size_t begin = lines * index / count * 64;
  const size_t end =
      index + 1 == count ? buffer.size() : lines * (index + 1) / count * 64;
  return buffer.subspan(begin, end - begin);
}

__attribute__((target("avx2"))) __m256i Read(absl::Span<std::byte> bytes,
                                             __m256i sum) {
  __m256i sums[4] = {sum, sum, sum, sum};
  size_t i = 0;
  for (; i + 128 <= bytes.size(); i += 128) {
    for (size_t k = 0; k < 4; ++k) {
      sums[k] = _mm256_xor_si256(
          sums[k], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(
                       bytes.data() + i + 32 * k)));
    }
  }
  return _mm256_xor_si256(_mm256_xor_si256(sums[0], sums[1]),
                          _mm256_xor_si256(sums[2], sums[3]));
}

template <bool kPastCache>
__attribute__((target("avx2"))) void Write(absl::Span<std::byte> bytes,
                                           __m256i value) {
  // Zen 5 writes zeros past its caches twice as fast as other numbers.
  value = _mm256_or_si256(value, _mm256_set1_epi8(1));
  size_t i = 0;
  for (; i + 32 <= bytes.size(); i += 32) {
    auto* to = reinterpret_cast<__m256i*>(bytes.data() + i);
    if constexpr (kPastCache) {
      _mm256_stream_si256(to, value);
    } else {
      _mm256_storeu_si256(to, value);
    }
  }
  for (; i < bytes.size(); ++i) bytes[i] = std::byte{1};
}

template <bool kPastCache>
__attribute__((target("avx2"))) void Stream(
    size_t thread, size_t num_threads,
    absl::Span<const absl::Span<std::byte>> sources,
    absl::Span<const absl::Span<std::byte>> destinations) {
  size_t most = 0;
  for (const auto& buffer : sources) most = std::max(most, buffer.size());
  for (const auto& buffer : destinations) most = std::max(most, buffer.size());
  const size_t pieces = std::max<size_t>(most / num_threads / kPieceBytes, 1);
  __m256i sum = _mm256_set1_epi8(1);
  for (size_t p = 0; p < pieces; ++p) {
    for (const auto& source : sources) {
      sum = Read(PartOf(PartOf(source, thread, num_threads), p, pieces), sum);
    }
    for (const auto& destination : destinations) {
      Write<kPastCache>(
          PartOf(PartOf(destination, thread, num_threads), p, pieces), sum);
    }
  }
  _mm_sfence();
  asm volatile("" : : "x"(sum) : "memory");
}

template <bool kPastCache>
__attribute__((target("avx2"))) void Lines(absl::Span<const std::byte> first,
                                           absl::Span<const std::byte> second,
                                           absl::Span<std::byte> to) {
  const size_t size = std::min({first.size(), second.size(), to.size()});
  const bool reads_two = first.data() != second.data();
  for (size_t i = 0; i + 64 <= size; i += 64) {
    for (size_t k = i; k < i + 64; k += 32) {
      __m256i value = _mm256_loadu_si256(
          reinterpret_cast<const __m256i*>(first.data() + k));
      if (reads_two) {
        value = _mm256_or_si256(
            value, _mm256_loadu_si256(
                       reinterpret_cast<const __m256i*>(second.data() + k)));
      }
      auto* place = reinterpret_cast<__m256i*>(to.data() + k);
      if constexpr (kPastCache) {
        _mm256_stream_si256(place, value);
      } else {
        _mm256_storeu_si256(place, value);
      }
    }
  }
  _mm_sfence();
}

void Copy(size_t thread, size_t num_threads, absl::Span<std::byte> source,
          absl::Span<std::byte> destination) {
  const auto from = PartOf(source, thread, num_threads);
  std::memcpy(PartOf(destination, thread, num_threads).data(), from.data(),
              from.size());
}

}  // namespace

void OnThreads(int num_threads, absl::FunctionRef<void(int)> body) {
  if (num_threads == 1) return body(0);
  static tbb::task_arena arena(num_threads);
  arena.execute([&] {
    tbb::parallel_for(
        0, num_threads, [&](int thread) { body(thread); },
        tbb::static_partitioner());
  });
}

void RunCopy(int num_threads, absl::Span<std::byte> source,
             absl::Span<std::byte> destination) {
  OnThreads(num_threads, [&](int thread) {
    Copy(static_cast<size_t>(thread), static_cast<size_t>(num_threads), source,
         destination);
  });
}

void RunStream(bool past_cache, int num_threads,
               absl::Span<const absl::Span<std::byte>> sources,
               absl::Span<const absl::Span<std::byte>> destinations) {
  OnThreads(num_threads, [&](int thread) {
    const auto t = static_cast<size_t>(thread);
    const auto n = static_cast<size_t>(num_threads);
    if (past_cache) {
      Stream<true>(t, n, sources, destinations);
    } else {
      Stream<false>(t, n, sources, destinations);
    }
  });
}

bool TakesLines(absl::Span<const absl::Span<std::byte>> sources,
                absl::Span<const absl::Span<std::byte>> destinations) {
  if (sources.empty() || sources.size() > 2 || destinations.size() != 1) {
    return false;
  }
  const size_t size = destinations[0].size();
  return std::all_of(sources.begin(), sources.end(), [&](const auto& source) {
    return source.size() <= size && source.size() + size / 64 >= size;
  });
}

void RunLines(bool past_cache, int num_threads,
              absl::Span<const absl::Span<std::byte>> sources,
              absl::Span<const absl::Span<std::byte>> destinations) {
  OnThreads(num_threads, [&](int thread) {
    const auto part = [&](absl::Span<std::byte> buffer) {
      return PartOf(buffer, static_cast<size_t>(thread),
                    static_cast<size_t>(num_threads));
    };
    const auto first = part(sources.front());
    const auto second = part(sources.back());
    const auto to = part(destinations[0]);
    if (past_cache) {
      Lines<true>(first, second, to);
    } else {
      Lines<false>(first, second, to);
    }
  });
}

}  // namespace stridecast::bench
