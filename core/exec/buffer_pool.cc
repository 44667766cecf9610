// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Size classes: four per power of two, so that at most a quarter of a buffer is
// waste.

#include "core/exec/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace stridecast {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kHugePageBytes = 2 << 20;

// Class 0 is 64 bytes; class 4n + k is 64 * 2^n * (1 + k/4).
int64_t ClassBytes(int size_class) {
  const int64_t base = kAlignment << (size_class / 4);
  return base + base / 4 * (size_class % 4);
}

int SizeClassOf(int64_t size_bytes) {
  if (size_bytes <= kAlignment) return 0;
  const int power =
      static_cast<int>(std::bit_width(static_cast<uint64_t>(size_bytes) - 1)) -
      1;
  int size_class = 4 * (power - 6);
  while (ClassBytes(size_class) < size_bytes) ++size_class;
  return size_class;
}

size_t RoundUp(int64_t bytes, int64_t multiple) {
  return static_cast<size_t>((bytes + multiple - 1) / multiple * multiple);
}

// Whole huge pages straight from the system: what is freed is free.
std::byte* MapHugePages(int64_t size_bytes) {
  constexpr auto kHuge = static_cast<size_t>(kHugePageBytes);
  const size_t rounded = RoundUp(size_bytes, kHugePageBytes);
  void* map = mmap(nullptr, rounded + kHuge, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(map);
  const size_t before =
      (kHuge - reinterpret_cast<uintptr_t>(begin) % kHuge) % kHuge;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + rounded, kHuge - before);
  // Advice only: where huge pages are not to be had, small ones serve.
  madvise(begin + before, rounded, MADV_HUGEPAGE);
  return begin + before;
}

bool IsMapped(int64_t size_bytes) { return size_bytes >= kHugePageBytes; }

std::byte* Allocate(int64_t size_bytes) {
  if (IsMapped(size_bytes)) return MapHugePages(size_bytes);
  return static_cast<std::byte*>(
      std::aligned_alloc(kAlignment, RoundUp(size_bytes, kAlignment)));
}

void Free(std::byte* data, int64_t size_bytes) {
  if (IsMapped(size_bytes)) {
    munmap(data, RoundUp(size_bytes, kHugePageBytes));
  } else {
    std::free(data);
  }
}

}  // namespace

PooledBuffer::PooledBuffer(PooledBuffer&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      size_class_(other.size_class_) {}

PooledBuffer& PooledBuffer::operator=(PooledBuffer&& other) noexcept {
  if (this != &other) {
    if (pool_ != nullptr) pool_->Return(data_, size_class_);
    pool_ = std::exchange(other.pool_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    size_bytes_ = std::exchange(other.size_bytes_, 0);
    size_class_ = other.size_class_;
  }
  return *this;
}

PooledBuffer::~PooledBuffer() {
  if (pool_ != nullptr) pool_->Return(data_, size_class_);
}

BufferPool::~BufferPool() { Trim(); }

PooledBuffer BufferPool::Take(int64_t size_bytes) {
  // Past this no class is representable; nor is such a buffer to be had.
  if (size_bytes > int64_t{1} << 60) return {};
  PooledBuffer buffer;
  buffer.size_class_ = SizeClassOf(size_bytes);
  buffer.data_ = TakeIdle(buffer.size_class_);
  if (buffer.data_ == nullptr) {
    const int64_t class_bytes = ClassBytes(buffer.size_class_);
    buffer.data_ = Allocate(class_bytes);
    if (buffer.data_ == nullptr) return {};
    std::lock_guard<std::mutex> lock(mutex_);
    ++stats_.num_takes;
    CountLent(class_bytes);
  }
  buffer.pool_ = this;
  buffer.size_bytes_ = size_bytes;
  return buffer;
}

// Null if there is none.
std::byte* BufferPool::TakeIdle(int size_class) {
  std::lock_guard<std::mutex> lock(mutex_);
  IdleBuffers& idle = idle_[size_class];
  if (idle.buffers.empty()) return nullptr;
  std::byte* const data = idle.buffers.back();
  idle.buffers.pop_back();
  idle.num_unused = std::min(idle.num_unused, idle.buffers.size());
  const int64_t class_bytes = ClassBytes(size_class);
  ++stats_.num_takes;
  ++stats_.num_reuses;
  CountIdle(-class_bytes);
  CountLent(class_bytes);
  return data;
}

// One buffer more, or less than zero: one fewer. The caller has the lock.
void BufferPool::CountLent(int64_t class_bytes) {
  stats_.lent_bytes += class_bytes;
  if (IsMapped(std::abs(class_bytes))) stats_.lent_mapped_bytes += class_bytes;
}

void BufferPool::CountIdle(int64_t class_bytes) {
  stats_.idle_bytes += class_bytes;
  if (IsMapped(std::abs(class_bytes))) stats_.idle_mapped_bytes += class_bytes;
}

void BufferPool::Return(std::byte* data, int size_class) {
  const int64_t class_bytes = ClassBytes(size_class);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    CountLent(-class_bytes);
    if (stats_.idle_bytes + class_bytes <= max_idle_bytes_) {
      idle_[size_class].buffers.push_back(data);
      CountIdle(class_bytes);
      return;
    }
  }
  Free(data, class_bytes);
}

void BufferPool::Trim() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (int c = 0; c < kNumSizeClasses; ++c) {
    FreeFirst(idle_[c].buffers.size(), c);
  }
}

int64_t BufferPool::TrimUnused() {
  std::lock_guard<std::mutex> lock(mutex_);
  int64_t freed = 0;
  for (int c = 0; c < kNumSizeClasses; ++c) {
    freed += FreeFirst(idle_[c].num_unused, c);
    idle_[c].num_unused = idle_[c].buffers.size();
  }
  return freed;
}

// Of a class; the caller has the lock.
int64_t BufferPool::FreeFirst(size_t count, int size_class) {
  if (count == 0) return 0;
  IdleBuffers& idle = idle_[size_class];
  const auto end = idle.buffers.begin() + static_cast<std::ptrdiff_t>(count);
  const int64_t class_bytes = ClassBytes(size_class);
  for (auto buffer = idle.buffers.begin(); buffer != end; ++buffer) {
    Free(*buffer, class_bytes);
    CountIdle(-class_bytes);
  }
  idle.buffers.erase(idle.buffers.begin(), end);
  idle.num_unused = std::min(idle.num_unused, idle.buffers.size());
  return static_cast<int64_t>(count) * class_bytes;
}

BufferPoolStats BufferPool::stats() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return stats_;
}

}  // namespace stridecast
