// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Slots of which no connection has more than its share: whoever holds on to
// what it has does not keep the others out.
// Thread-safe but for the single slot.

#ifndef STRIDECAST_SERVER_PEER_SLOTS_H_
#define STRIDECAST_SERVER_PEER_SLOTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/node_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/raw_service.h"

namespace stridecast {

class PeerSlots;

// One call's, of slots that must outlive it.
class PeerSlot {
 public:
  PeerSlot() = default;
  PeerSlot(PeerSlot&& other) noexcept
      : slots_(std::exchange(other.slots_, nullptr)), held_(other.held_) {}
  PeerSlot& operator=(PeerSlot&& other) noexcept {
    std::swap(slots_, other.slots_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~PeerSlot();

 private:
  friend class PeerSlots;
  using Held = std::pair<const ConnectionId, int64_t>;  // of slots
  PeerSlot(PeerSlots* slots, Held* held) : slots_(slots), held_(held) {}

  PeerSlots* slots_ = nullptr;
  Held* held_ = nullptr;
};

class PeerSlots {
 public:
  // `what` names in refusals what the slots are for: "calls of Watch".
  PeerSlots(int64_t capacity, int64_t share, std::string what)
      : capacity_(capacity), share_(share), what_(std::move(what)) {}
  PeerSlots(const PeerSlots&) = delete;
  PeerSlots& operator=(const PeerSlots&) = delete;

  // Where all are taken, `make_room` may have one given back, and tells whether
  // it did. Errors: kResourceExhausted, with RetryInfo.
  absl::StatusOr<PeerSlot> Take(
      ConnectionId connection,
      const std::function<bool()>& make_room = [] { return false; });

  int64_t capacity() const { return capacity_; }
  int64_t share() const { return share_; }
  int64_t num_taken() const;
  // Those that had to make room are among them.
  int64_t num_refused() const;

 private:
  friend class PeerSlot;
  absl::Status Refuse(const std::string& why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Return(PeerSlot::Held* held);

  const int64_t capacity_;
  const int64_t share_;
  const std::string what_;
  mutable absl::Mutex mutex_;
  absl::node_hash_map<ConnectionId, int64_t> held_ ABSL_GUARDED_BY(mutex_);
  int64_t num_taken_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_refused_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_PEER_SLOTS_H_
