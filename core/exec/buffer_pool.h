// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Recycled buffers: page faults of fresh memory cost more than most of our
// computations.
// Rules:
//   (B1) every buffer is 64-byte aligned
//   (B2) the pool keeps at most max_idle_bytes of returned buffers
//   (B3) contents are whatever was there: who takes one writes all that it
//        shows to others
// Thread-safe. The pool must outlive its buffers.

#ifndef STRIDECAST_CORE_EXEC_BUFFER_POOL_H_
#define STRIDECAST_CORE_EXEC_BUFFER_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/types/span.h"

namespace stridecast {

class BufferPool;

// A buffer on loan; goes back to its pool when destroyed.
class PooledBuffer {
 public:
  PooledBuffer() = default;
  PooledBuffer(PooledBuffer&& other) noexcept;
  PooledBuffer& operator=(PooledBuffer&& other) noexcept;
  ~PooledBuffer();

  explicit operator bool() const { return pool_ != nullptr; }
  std::byte* data() const { return data_; }
  int64_t size_bytes() const { return size_bytes_; }
  absl::Span<std::byte> span() const {
    return {data_, static_cast<size_t>(size_bytes_)};
  }

 private:
  friend class BufferPool;
  BufferPool* pool_ = nullptr;
  std::byte* data_ = nullptr;
  int64_t size_bytes_ = 0;
  int size_class_ = 0;
};

struct BufferPoolStats {
  int64_t num_takes = 0;   // that gave a buffer
  int64_t num_reuses = 0;  // of them, those that gave one that was idle
  int64_t lent_bytes = 0;  // now, size classes counted whole
  int64_t idle_bytes = 0;
  // In no heap, since the system has them.
  int64_t lent_mapped_bytes = 0;
  int64_t idle_mapped_bytes = 0;
};

class BufferPool {
 public:
  explicit BufferPool(int64_t max_idle_bytes)
      : max_idle_bytes_(max_idle_bytes) {}
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // A buffer of exactly that size as seen by its user (size_bytes >= 0); a
  // false one if memory is not to be had.
  PooledBuffer Take(int64_t size_bytes);

  // Frees all idle buffers.
  void Trim();
  // Frees those that were idle ever since the last time; how many bytes.
  int64_t TrimUnused();

  BufferPoolStats stats() const;
  int64_t idle_bytes() const { return stats().idle_bytes; }

 private:
  friend class PooledBuffer;
  // Those that were returned last are taken first, so that the others age.
  struct IdleBuffers {
    std::vector<std::byte*> buffers;
    size_t num_unused = 0;  // from the front, since the last TrimUnused
  };

  std::byte* TakeIdle(int size_class);
  void Return(std::byte* data, int size_class);
  void CountLent(int64_t class_bytes);
  void CountIdle(int64_t class_bytes);
  int64_t FreeFirst(size_t count, int size_class);

  static constexpr int kNumSizeClasses = 256;
  const int64_t max_idle_bytes_;
  mutable std::mutex mutex_;
  BufferPoolStats stats_;
  IdleBuffers idle_[kNumSizeClasses];
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_BUFFER_POOL_H_
