// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Who may come in: how many calls at a time, and how much memory all of them
// together may take.
//   slots.Take() → released
//   budget.Reserve(what the call may take) → Resize(what it does) →
//   Split(result) → released
// Before the plan is there, a RunBytesForecast says what the call may take.
// Invariants:
//   (A1) living slots never exceed capacity, nor do the bytes of all living
//        reservations together
//   (A2) who has more than kSmallCallBytes leaves the last part of a budget to
//        those who have not, unless nobody else is there: small calls pass
//        while large ones fill it
//   (A3) a reservation gives its bytes back exactly once, when destroyed
// Thread-safe but for the single Slot and Reservation. Nobody waits here: who
// does not fit is refused at once (README.md says why).

#ifndef STRIDECAST_SERVER_ADMISSION_H_
#define STRIDECAST_SERVER_ADMISSION_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace stridecast {

// When a refused caller may try again: long enough for a few of the largest
// calls (tens of milliseconds each) to leave, short beside a client's deadline.
inline constexpr absl::Duration kRetryDelay = absl::Milliseconds(200);

// What a call may take and be small; the part of a budget that is for such.
inline constexpr int64_t kSmallCallBytes = int64_t{64} << 10;
inline constexpr int64_t kSmallCallsShare = 32;

class CallSlots;

// One call's, of slots that must outlive it.
class CallSlot {
 public:
  CallSlot() = default;
  CallSlot(CallSlot&& other) noexcept;
  CallSlot& operator=(CallSlot&& other) noexcept;
  ~CallSlot();

 private:
  friend class CallSlots;
  explicit CallSlot(CallSlots* slots) : slots_(slots) {}

  CallSlots* slots_ = nullptr;
};

class CallSlots {
 public:
  // `refusal` is what who finds none is told.
  CallSlots(int64_t capacity, std::string refusal)
      : capacity_(capacity), refusal_(std::move(refusal)) {}
  CallSlots(const CallSlots&) = delete;
  CallSlots& operator=(const CallSlots&) = delete;

  // Errors: kResourceExhausted, with RetryInfo.
  absl::StatusOr<CallSlot> Take();

  int64_t capacity() const { return capacity_; }
  int64_t num_taken() const { return num_taken_.load(); }
  int64_t num_refused() const { return num_refused_.load(); }

 private:
  friend class CallSlot;

  const int64_t capacity_;
  const std::string refusal_;
  std::atomic<int64_t> num_taken_ = 0;
  std::atomic<int64_t> num_refused_ = 0;
};

class ByteBudget;

// Bytes held of a budget, which must outlive it.
class Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation();

  int64_t bytes() const { return bytes_; }

  // Takes `bytes` more, or nothing. Errors: those of ByteBudget::Reserve.
  absl::Status Grow(int64_t bytes);

  // Has `bytes` from now on: gives back what is too much, or grows.
  absl::Status Resize(int64_t bytes);

  // Hands `bytes`, at most those held, to a reservation of their own.
  Reservation Split(int64_t bytes);

 private:
  friend class ByteBudget;
  Reservation(ByteBudget* budget, int64_t bytes)
      : budget_(budget), bytes_(bytes) {}

  ByteBudget* budget_ = nullptr;
  int64_t bytes_ = 0;
};

class ByteBudget {
 public:
  explicit ByteBudget(int64_t capacity_bytes)
      : capacity_bytes_(capacity_bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  // Errors: kResourceExhausted, with RetryInfo if there is room once other
  // calls have left, without if there never is.
  absl::StatusOr<Reservation> Reserve(int64_t bytes);

  // Whether there is room for so many now. Errors: those of Reserve.
  absl::Status CheckFits(int64_t bytes) const;

  // From now on nobody new is admitted: kUnavailable.
  void Close() { is_closed_ = true; }

  int64_t capacity_bytes() const { return capacity_bytes_; }
  int64_t inflight_bytes() const { return inflight_bytes_.load(); }
  // How often there was no room, and how often nobody new was admitted.
  int64_t num_refused() const { return num_refused_.load(); }
  int64_t num_refused_closed() const { return num_refused_closed_.load(); }
  // The most that were in flight since the last time.
  int64_t TakePeakBytes() {
    return std::max(peak_bytes_.exchange(inflight_bytes()), inflight_bytes());
  }

 private:
  friend class Reservation;
  // `held` are the bytes that the asking call has already.
  absl::Status Check(int64_t bytes, int64_t held, int64_t inflight) const;
  absl::Status Take(int64_t bytes, int64_t held);
  void Return(int64_t bytes) { inflight_bytes_.fetch_sub(bytes); }

  const int64_t capacity_bytes_;
  std::atomic<int64_t> inflight_bytes_ = 0;
  std::atomic<int64_t> peak_bytes_ = 0;
  std::atomic<bool> is_closed_ = false;
  mutable std::atomic<int64_t> num_refused_ = 0;
  std::atomic<int64_t> num_refused_closed_ = 0;
};

// How much calls take beside their message, as those of late did: for a copy in
// one piece, results, scratch.
class RunBytesForecast {
 public:
  // For a message of so many bytes; at most `most`.
  int64_t For(int64_t message_bytes, int64_t most) const;
  // What a call takes, as its plan tells.
  void Learn(int64_t message_bytes, int64_t run_bytes);

 private:
  std::atomic<double> ratio_ = 2;  // of bytes taken to bytes of the message
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_ADMISSION_H_
