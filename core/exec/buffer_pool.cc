// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Size classes: four per power of two, so that at most a quarter of a buffer is
// waste.

#include "core/exec/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
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

std::byte* Allocate(int64_t size_bytes) {
  const bool huge = size_bytes >= kHugePageBytes;
  const int64_t alignment = huge ? kHugePageBytes : kAlignment;
  const int64_t rounded = (size_bytes + alignment - 1) / alignment * alignment;
  void* data = std::aligned_alloc(static_cast<size_t>(alignment),
                                  static_cast<size_t>(rounded));
  // Advice only: where huge pages are not to be had, small ones serve.
  if (data != nullptr && huge) {
    madvise(data, static_cast<size_t>(rounded), MADV_HUGEPAGE);
  }
  return static_cast<std::byte*>(data);
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
  const int64_t class_bytes = ClassBytes(buffer.size_class_);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::byte*>& idle = idle_[buffer.size_class_];
    if (!idle.empty()) {
      buffer.data_ = idle.back();
      idle.pop_back();
      idle_bytes_ -= class_bytes;
    }
  }
  if (buffer.data_ == nullptr) buffer.data_ = Allocate(class_bytes);
  if (buffer.data_ == nullptr) return {};
  buffer.pool_ = this;
  buffer.size_bytes_ = size_bytes;
  return buffer;
}

void BufferPool::Return(std::byte* data, int size_class) {
  const int64_t class_bytes = ClassBytes(size_class);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (idle_bytes_ + class_bytes <= max_idle_bytes_) {
      idle_[size_class].push_back(data);
      idle_bytes_ += class_bytes;
      return;
    }
  }
  std::free(data);
}

void BufferPool::Trim() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (std::vector<std::byte*>& idle : idle_) {
    for (std::byte* data : idle) std::free(data);
    idle.clear();
  }
  idle_bytes_ = 0;
}

int64_t BufferPool::idle_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return idle_bytes_;
}

}  // namespace stridecast
