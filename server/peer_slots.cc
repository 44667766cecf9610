// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/peer_slots.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/status_codec.h"
#include "server/admission.h"

namespace stridecast {

PeerSlot::~PeerSlot() {
  if (slots_ != nullptr) slots_->Return(held_);
}

absl::StatusOr<PeerSlot> PeerSlots::Take(const std::string& peer) {
  absl::MutexLock lock(&mutex_);
  const auto [held, is_new] = held_.try_emplace(peer, 0);
  const bool has_share =
      held->second < share_ || absl::StartsWith(peer, "unix:");
  if (has_share && num_taken_ < capacity_) {
    ++held->second;
    ++num_taken_;
    return PeerSlot(this, &*held);
  }
  if (is_new) held_.erase(held);
  ++num_refused_;
  return WithRetryDelay(
      absl::ResourceExhaustedError(
          has_share
              ? absl::StrCat(capacity_, " ", what_,
                             ", as many as there may be, are under way")
              : absl::StrCat(share_, " ", what_,
                             ", as many as a connection may have, are under "
                             "way on this one")),
      kRetryDelay);
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
