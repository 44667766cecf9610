// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/peer_slots.h"

#include "absl/strings/str_cat.h"
#include "proto/wire/status_codec.h"
#include "server/admission.h"

namespace stridecast {

PeerSlot::~PeerSlot() {
  if (slots_ != nullptr) slots_->Return(held_);
}

absl::StatusOr<PeerSlot> PeerSlots::Take(
    ConnectionId connection, const std::function<bool()>& make_room) {
  absl::Status refusal;
  do {
    absl::MutexLock lock(&mutex_);
    const auto found = held_.find(connection);
    if (found != held_.end() && found->second >= share_) {
      return Refuse(absl::StrCat(share_, " ", what_,
                                 ", as many as a connection may have, are "
                                 "under way on this one"));
    }
    if (num_taken_ < capacity_) {
      PeerSlot::Held& held = *held_.try_emplace(connection, 0).first;
      ++held.second;
      ++num_taken_;
      return PeerSlot(this, &held);
    }
    refusal = Refuse(absl::StrCat(capacity_, " ", what_,
                                  ", as many as there may be, are under way"));
    // Another may take the place that was made: then once more.
  } while (make_room());
  return refusal;
}

absl::Status PeerSlots::Refuse(const std::string& why) {
  ++num_refused_;
  return WithRetryDelay(absl::ResourceExhaustedError(why), kRetryDelay);
}

int64_t PeerSlots::num_taken() const {
  absl::MutexLock lock(&mutex_);
  return num_taken_;
}

int64_t PeerSlots::num_refused() const {
  absl::MutexLock lock(&mutex_);
  return num_refused_;
}

void PeerSlots::Return(PeerSlot::Held* held) {
  absl::MutexLock lock(&mutex_);
  --num_taken_;
  if (--held->second == 0) held_.erase(held->first);
}

}  // namespace stridecast
