// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The bytes of one tensor as they lie in memory: one piece, or many, as gRPC
// receives them; of a stream perhaps not the first ones any more. A view:
// whoever makes it keeps the bytes alive.
// Invariant: segments are in buffer order, none is empty, and each states how
// many bytes lie before it, so that a position is found by binary search.

#ifndef STRIDECAST_SEGMENTS_H_
#define STRIDECAST_SEGMENTS_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace stridecast {

struct Segment {
  const std::byte* data;
  int64_t size_bytes;
  int64_t begin;  // bytes of the tensor before this segment
};

class SegmentedBytes {
 public:
  SegmentedBytes() = default;  // no bytes
  // None yet; those before `begin` are not there.
  explicit SegmentedBytes(int64_t begin) : size_bytes_(begin) {}
  SegmentedBytes(const std::byte* data, int64_t size_bytes) {
    Append(data, size_bytes);
  }

  // Adds a piece at the end; an empty one changes nothing.
  void Append(const std::byte* data, int64_t size_bytes) {
    if (size_bytes == 0) return;
    segments_.push_back({data, size_bytes, size_bytes_});
    size_bytes_ += size_bytes;
  }

  // Also counts those that are not there.
  int64_t size_bytes() const { return size_bytes_; }
  absl::Span<const Segment> segments() const { return segments_; }
  bool IsOnePiece() const { return segments_.size() <= 1; }

  // The first byte of a tensor that IsOnePiece(); null for one of no bytes.
  const std::byte* data() const {
    return segments_.empty() ? nullptr : segments_.front().data;
  }
  // The byte at `position` of a tensor that IsOnePiece() and has bytes.
  const std::byte* At(int64_t position) const {
    const Segment& segment = segments_.front();
    return segment.data + (position - segment.begin);
  }

  // Bytes [begin, begin + count), as a tensor of their own.
  SegmentedBytes View(int64_t begin, int64_t count) const;

  // Copies bytes [begin, begin + count) to `destination`.
  void CopyTo(int64_t begin, int64_t count, std::byte* destination) const;

 private:
  absl::InlinedVector<Segment, 1> segments_;
  int64_t size_bytes_ = 0;
};

}  // namespace stridecast

#endif  // STRIDECAST_SEGMENTS_H_
