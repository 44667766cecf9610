// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/admission.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/status_codec.h"
#include "stridecast/status_macros.h"

namespace stridecast {

CallSlot::CallSlot(CallSlot&& other) noexcept
    : slots_(std::exchange(other.slots_, nullptr)) {}

CallSlot& CallSlot::operator=(CallSlot&& other) noexcept {
  std::swap(slots_, other.slots_);
  return *this;
}

CallSlot::~CallSlot() {
  if (slots_ != nullptr) slots_->num_taken_.fetch_sub(1);
}

absl::StatusOr<CallSlot> CallSlots::Take() {
  if (num_taken_.fetch_add(1) < capacity_) return CallSlot(this);
  num_taken_.fetch_sub(1);
  ++num_refused_;
  return WithRetryDelay(absl::ResourceExhaustedError(refusal_), kRetryDelay);
}

Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Reservation::~Reservation() {
  if (budget_ != nullptr) budget_->Return(bytes_);
}

absl::Status Reservation::Grow(int64_t bytes) {
  assert(budget_ != nullptr);
  RETURN_IF_ERROR(budget_->Take(bytes, bytes_));
  bytes_ += bytes;
  return absl::OkStatus();
}

absl::Status Reservation::Resize(int64_t bytes) {
  if (bytes > bytes_) return Grow(bytes - bytes_);
  Split(bytes_ - bytes);
  return absl::OkStatus();
}

Reservation Reservation::Split(int64_t bytes) {
  assert(bytes >= 0 && bytes <= bytes_);
  bytes_ -= bytes;
  return Reservation(budget_, bytes);
}

absl::StatusOr<Reservation> ByteBudget::Reserve(int64_t bytes) {
  if (is_closed_) {
    ++num_refused_closed_;
    return absl::UnavailableError("the server is draining; call another one");
  }
  RETURN_IF_ERROR(Take(bytes, 0));
  return Reservation(this, bytes);
}

absl::Status ByteBudget::CheckFits(int64_t bytes) const {
  return Check(bytes, 0, inflight_bytes_.load());
}

absl::Status ByteBudget::Check(int64_t bytes, int64_t held,
                               int64_t inflight) const {
  const bool never_fits = bytes < 0 || bytes > capacity_bytes_ - held;
  const bool is_small = bytes <= kSmallCallBytes - held;
  const int64_t kept_back =
      is_small || inflight <= held ? 0 : capacity_bytes_ / kSmallCallsShare;
  if (!never_fits && bytes <= capacity_bytes_ - kept_back - inflight) {
    return absl::OkStatus();
  }
  ++num_refused_;
  if (never_fits) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the call needs ", bytes, " bytes beside ", held,
        " held, more than --max-inflight-bytes ", capacity_bytes_));
  }
  return WithRetryDelay(
      absl::ResourceExhaustedError(absl::StrCat(
          "the call needs ", bytes, " bytes, ", inflight,
          " of --max-inflight-bytes ", capacity_bytes_, " are in use",
          kept_back == 0
              ? ""
              : absl::StrCat(", ", kept_back, " are for small calls"))),
      kRetryDelay);
}

absl::Status ByteBudget::Take(int64_t bytes, int64_t held) {
  assert(held >= 0);
  int64_t inflight = inflight_bytes_.load();
  do {
    RETURN_IF_ERROR(Check(bytes, held, inflight));
  } while (!inflight_bytes_.compare_exchange_weak(inflight, inflight + bytes));
  int64_t peak = peak_bytes_.load();
  while (peak < inflight + bytes &&
         !peak_bytes_.compare_exchange_weak(peak, inflight + bytes)) {
  }
  return absl::OkStatus();
}

namespace {

constexpr double kLeastRatio = 2, kMostRatio = 32;

// Other messages take little of the budget, and their ratio may be any.
bool IsForecast(int64_t message_bytes) {
  return message_bytes > kSmallCallBytes;
}

}  // namespace

int64_t RunBytesForecast::For(int64_t message_bytes, int64_t most) const {
  const double ratio = IsForecast(message_bytes) ? ratio_.load() : kLeastRatio;
  const double bytes = ratio * static_cast<double>(message_bytes);
  return bytes < static_cast<double>(most) ? static_cast<int64_t>(bytes) : most;
}

void RunBytesForecast::Learn(int64_t message_bytes, int64_t run_bytes) {
  // Nearer to those that take much: who has too little comes for nothing.
  constexpr double kRise = 0.25, kFall = 0.01;
  if (!IsForecast(message_bytes)) return;
  const double taken = std::clamp(
      static_cast<double>(run_bytes) / static_cast<double>(message_bytes),
      kLeastRatio, kMostRatio);
  // Of two who learn at a time one may be forgotten.
  const double ratio = ratio_.load(std::memory_order_relaxed);
  ratio_.store(ratio + (taken > ratio ? kRise : kFall) * (taken - ratio),
               std::memory_order_relaxed);
}

}  // namespace stridecast
