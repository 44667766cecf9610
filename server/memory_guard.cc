// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/memory_guard.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/periodic_thread.h"
#include "spdlog/spdlog.h"

namespace stridecast {
namespace {

// Two CPUs receive some 10 MB meanwhile. (A look takes 2 us.)
constexpr std::chrono::milliseconds kInterval(5);
constexpr std::chrono::seconds kEpoch(1);
// Ended are so many that this part of the limit is free.
constexpr int64_t kFreeShare = 16;
// Who holds less in each call is held for one who holds nothing: headers are of
// that size. So is whose connection holds less than this part of what is too
// much, as one with a call that ends just now, or than a quarter of what each
// connection would hold: all like it would not do.
constexpr int64_t kLeastHeldBytes = 1 << 10;
constexpr int64_t kLeastHeldShare = 256;
// Of one look: telling a call takes up to 0.1 ms.
constexpr int64_t kMaxEndedAtOnce = 128;
// Looking at all connections takes 1 ms for 1000.
constexpr std::chrono::milliseconds kCloseDeafInterval(100);
// For a peer to read that has said that it has no room; and where memory grows
// all the same.
constexpr std::chrono::milliseconds kDeaf(500);
constexpr std::chrono::milliseconds kHastilyDeaf(50);
// Beyond the limit by more than this part of it connections are closed, which
// helps at once: calls that end have to be told, and others begin.
constexpr int64_t kGrowthShare = 16;
// Where those who are known do not hold it, others are closed that sent so much
// of late that no call accounts for, and at least that part of what the
// greatest of them did.
constexpr int64_t kLeastSentBytes = 64 << 10;
constexpr int64_t kLeastSentShare = 4;
// So too where nobody knows what that part of the limit is used for.
constexpr int64_t kUnexplainedShare = 4;
// Whoever sends that much without a call is closed while there is memory yet:
// of headers without end gRPC holds all, and copies them as they grow. Looking
// for them takes no more than 1/100 of the time.
constexpr int64_t kNonsenseBytes = int64_t{8} << 20;
constexpr std::chrono::milliseconds kSendersInterval(20);
constexpr int kSendersPause = 100;
// Until what they sent is freed nobody new is let in: they come back at once.
constexpr std::chrono::milliseconds kTimeToRecover(250);
constexpr std::chrono::seconds kLongestRecovery(5);
// Of a line of the log, and between two.
constexpr size_t kMostNamed = 4;
constexpr std::chrono::seconds kLogClosedInterval(1);
// For what closed connections held to be freed.
constexpr std::chrono::milliseconds kTimeToClose(100);
// Looks that find nobody who is known to hold anything, until who may is ended,
// and until a part of all is.
constexpr int kMaxUnknown = 4;
constexpr int kMaxHelpless = 20;
constexpr int64_t kLastResortShare = 4;
// Giving back goes through all of the heap, which nobody may use meanwhile: 10
// to 40 ms for 100 MB. It takes no more than 1/9 of the time, or 1/21 where
// less than that part comes of it.
constexpr int64_t kWorthShare = 32;
constexpr int kPauseIfWorth = 8;
constexpr int kPauseIfNot = 20;

// Of the CPU: on one that is busy a thread waits for its turn.
std::chrono::nanoseconds ThreadTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec);
}

std::vector<HeldBytes::Holding> WorthEnding(
    std::vector<HeldBytes::Holding> holdings, int64_t excess_bytes) {
  const int64_t share =
      std::max(kLeastHeldShare, 4 * static_cast<int64_t>(holdings.size()));
  std::erase_if(holdings, [&](const HeldBytes::Holding& holding) {
    return holding.bytes / holding.num_calls < kLeastHeldBytes ||
           holding.bytes < excess_bytes / share;
  });
  return holdings;
}

}  // namespace

MemoryGuard::MemoryGuard(int64_t max_bytes, Memory memory,
                         std::vector<CallerWaits*> waits, HeldBytes* held)
    : max_bytes_(max_bytes),
      memory_(std::move(memory)),
      waits_(std::move(waits)),
      held_(held),
      other_bytes_(OtherBytes()),
      epoch_at_(Clock::now() + kEpoch),
      thread_(RunEvery(kInterval, [this] { Look(); })) {}

void MemoryGuard::Look() {
  LogClosed();
  if (const Clock::time_point now = Clock::now(); now >= epoch_at_) {
    held_->BeginEpoch();
    epoch_at_ = now + kEpoch;
  }
  const int64_t system_bytes = memory_.system_bytes();
  const int64_t resident_bytes = memory_.resident_bytes();
  CloseThoseWhoOnlySend(/*is_urgent=*/resident_bytes > max_bytes_ / 2);
  if (resident_bytes + system_bytes <= max_bytes_) {
    num_helpless_ = 0;
    SetGrowing(false, resident_bytes + system_bytes);
    closed_.clear();
    LookForFlood(resident_bytes);
    return;
  }
  ProlongFlood();
  unexplained_since_.reset();
  const int64_t used_bytes = UsedBytes(resident_bytes) + system_bytes;
  const int64_t excess_bytes =
      used_bytes - (max_bytes_ - max_bytes_ / kFreeShare);
  SetGrowing(used_bytes - max_bytes_ > max_bytes_ / kGrowthShare, used_bytes);
  // And those who are about to end.
  int64_t leaving_bytes = 0;
  for (const CallerWaits* const waits : waits_) {
    leaving_bytes += waits->leaving_bytes();
  }
  const int64_t coming_bytes = ComingBytes(used_bytes);
  const bool is_enough = used_bytes - leaving_bytes <= max_bytes_;
  if (!is_enough) CloseDeaf();
  if ((is_growing_ && CloseThose(excess_bytes + coming_bytes)) || is_enough ||
      EndThoseWhoHold(excess_bytes - leaving_bytes)) {
    num_helpless_ = 0;
  } else if (++num_helpless_ >= kMaxHelpless) {
    num_helpless_ = 0;
    EndLongest();
  }
  if (Clock::now() >= give_back_at_) GiveBack();
}

void MemoryGuard::SetGrowing(bool is_growing, int64_t used_bytes) {
  const bool was_growing = is_growing_.exchange(is_growing);
  int64_t num_held_back = 0;
  if (!is_growing || was_growing ||
      !log_limit_.Pass(RateLimiter::Clock::now(), num_held_back)) {
    return;
  }
  spdlog::warn(
      "memory grows: {} bytes are in use, --max-memory-bytes is {}; "
      "connections that hold most are closed, new ones wait",
      used_bytes, max_bytes_);
}

int64_t MemoryGuard::ComingBytes(int64_t used_bytes) {
  const Clock::time_point now = Clock::now();
  const int64_t more_bytes =
      used_bytes - std::exchange(last_used_bytes_, used_bytes);
  const std::chrono::duration<double> since =
      now - std::exchange(last_used_at_, now);
  return static_cast<int64_t>(
      static_cast<double>(std::max<int64_t>(more_bytes, 0)) *
      (kTimeToClose /
       std::max<std::chrono::duration<double>>(since, kInterval)));
}

void MemoryGuard::CloseDeaf() {
  const Clock::time_point now = Clock::now();
  if (now < close_deaf_at_) return;
  const int64_t num_closed =
      memory_.close_deaf(is_growing_ ? kHastilyDeaf : kDeaf);
  num_ended_ += num_closed;
  num_closed_ += num_closed;
  close_deaf_at_ = now + (is_growing_ ? kHastilyDeaf : kCloseDeafInterval);
}

// What giving back would leave. Of what is allocated some may never have been
// touched.
int64_t MemoryGuard::UsedBytes(int64_t resident_bytes) const {
  return std::min(memory_.allocated_bytes() + other_bytes_, resident_bytes);
}

void MemoryGuard::LookForFlood(int64_t resident_bytes) {
  const Clock::time_point start = Clock::now();
  const int64_t explained_bytes =
      memory_.explained_bytes() + max_bytes_ / kUnexplainedShare;
  if (resident_bytes <= explained_bytes) {
    unexplained_since_.reset();
    return;
  }
  if (start < close_senders_at_) return;
  const std::chrono::nanoseconds began = ThreadTime();
  if (UsedBytes(resident_bytes) <= explained_bytes + held_->KnownBytes()) {
    unexplained_since_.reset();
  } else {
    if (!unexplained_since_.has_value()) unexplained_since_ = start;
    ProlongFlood();
    // What a connection held that has just ended may be free by then.
    if (start >= *unexplained_since_ + 2 * kSendersInterval) {
      CloseThoseWhoSend(max_bytes_, /*with_those_of_few_calls=*/false);
    }
  }
  close_senders_at_ =
      start + std::max<Clock::duration>(kSendersInterval,
                                        kSendersPause * (ThreadTime() - began));
}

void MemoryGuard::BeginFlood() {
  flood_at_ = Clock::now();
  flooded_until_ = flood_at_ + kTimeToRecover;
  int64_t num_held_back = 0;
  if (!flood_log_limit_.Pass(flood_at_, num_held_back)) return;
  spdlog::warn(
      "connections are closed that send what no call accounts for, new ones "
      "wait");
}

void MemoryGuard::ProlongFlood() {
  const Clock::time_point now = Clock::now();
  if (is_flooded() && now < flood_at_ + kLongestRecovery) {
    flooded_until_ = now + kTimeToRecover;
  }
}

bool MemoryGuard::CloseThose(int64_t excess_bytes) {
  const int64_t left_bytes = CloseThoseWhoHold(excess_bytes);
  const Clock::time_point now = Clock::now();
  if (left_bytes > 0 && now >= close_senders_at_) {
    close_senders_at_ = now + kSendersInterval;
    if (CloseThoseWhoSend(left_bytes, /*with_those_of_few_calls=*/true)) {
      return true;
    }
  }
  return !closed_.empty();
}

int64_t MemoryGuard::CloseThoseWhoHold(int64_t excess_bytes) {
  const Clock::time_point now = Clock::now();
  std::vector<HeldBytes::Holding> holdings =
      held_->Holdings(HeldBytes::Estimate::kKnown);
  absl::flat_hash_map<ConnectionId, Closed> closed;
  for (const HeldBytes::Holding& holding : holdings) {
    const auto known = closed_.find(holding.connection);
    if (known != closed_.end() && now <= known->second.at + kTimeToClose) {
      closed.insert(*known);
      excess_bytes -= known->second.bytes;
    }
  }
  closed_ = std::move(closed);
  for (const HeldBytes::Holding& holding :
       WorthEnding(std::move(holdings), excess_bytes)) {
    if (excess_bytes <= 0) break;
    if (closed_.contains(holding.connection) ||
        !Close(holding.peer, holding.bytes)) {
      continue;
    }
    closed_.emplace(holding.connection,
                    Closed{.at = now, .bytes = holding.bytes});
    num_ended_ += holding.num_calls;
    excess_bytes -= holding.bytes;
  }
  return excess_bytes;
}

bool MemoryGuard::CloseThoseWhoSend(int64_t excess_bytes,
                                    bool with_those_of_few_calls) {
  const std::vector<HeldBytes::Sender> senders = held_->Senders();
  for (const bool has_few_calls : {false, true}) {
    if (has_few_calls && !with_those_of_few_calls) break;
    int64_t least_bytes = kLeastSentBytes;
    bool was_open = false;
    for (const HeldBytes::Sender& sender : senders) {
      if (excess_bytes <= 0 || sender.bytes < least_bytes) break;
      if (sender.has_few_calls != has_few_calls ||
          !Close(sender.peer, sender.bytes)) {
        continue;
      }
      if (!was_open) {
        least_bytes = std::max(least_bytes, sender.bytes / kLeastSentShare);
      }
      was_open = true;
      ++num_ended_;
      excess_bytes -= sender.bytes;
    }
    if (was_open) {
      BeginFlood();
      return true;
    }
  }
  return false;
}

void MemoryGuard::CloseThoseWhoOnlySend(bool is_urgent) {
  const Clock::time_point start = Clock::now();
  if (start < close_nonsense_at_) return;
  const std::chrono::nanoseconds began = ThreadTime();
  for (const HeldBytes::Sender& sender : held_->Senders()) {
    if (sender.bytes < kNonsenseBytes) break;
    if (sender.has_calls || !Close(sender.peer, sender.bytes)) continue;
    ++num_ended_;
    if (is_urgent) BeginFlood();
  }
  close_nonsense_at_ =
      start + std::max<Clock::duration>(kSendersInterval,
                                        kSendersPause * (ThreadTime() - began));
}

bool MemoryGuard::Close(const std::string& peer, int64_t bytes) {
  if (!memory_.close(peer)) return false;
  ++num_closed_;
  greatest_closed_.emplace_back(bytes, peer);
  std::sort(greatest_closed_.rbegin(), greatest_closed_.rend());
  if (greatest_closed_.size() > kMostNamed) greatest_closed_.pop_back();
  return true;
}

void MemoryGuard::LogClosed() {
  const Clock::time_point now = Clock::now();
  if (num_closed_ == 0 || now < log_closed_at_) return;
  std::string greatest;
  for (const auto& [bytes, peer] : greatest_closed_) {
    absl::StrAppend(&greatest, greatest.empty() ? ": " : ", ", peer, " (",
                    bytes, " bytes)");
  }
  spdlog::warn(
      "connections closed for the memory they hold, or what they sent without "
      "calls: {}{}{}",
      num_closed_, greatest.empty() ? "" : "; sent or held most", greatest);
  num_closed_ = 0;
  greatest_closed_.clear();
  log_closed_at_ = now + kLogClosedInterval;
}

bool MemoryGuard::EndThoseWhoHold(int64_t excess_bytes) {
  CallerWaits::Quotas quotas;
  int64_t most = kMaxEndedAtOnce;
  const auto estimate = is_growing_ || num_helpless_ >= kMaxUnknown
                            ? HeldBytes::Estimate::kPossible
                            : HeldBytes::Estimate::kKnown;
  for (const HeldBytes::Holding& holding :
       WorthEnding(held_->Holdings(estimate), excess_bytes)) {
    if (excess_bytes <= 0 || most == 0) break;
    const int64_t each = holding.bytes / holding.num_calls;
    const int64_t num_calls =
        std::min({holding.num_calls, (excess_bytes + each - 1) / each, most});
    most -= num_calls;
    quotas[holding.connection] = {.num_calls = num_calls, .bytes_each = each};
    excess_bytes -= num_calls * each;
  }
  int64_t num_ended = 0;
  for (CallerWaits* const waits : waits_) {
    num_ended += waits->EndOf(quotas, GivingUp::kShortMemory);
  }
  num_ended_ += num_ended;
  return num_ended > 0;
}

void MemoryGuard::EndLongest() {
  for (CallerWaits* const waits : waits_) {
    const int64_t count =
        (waits->num_for_messages() + kLastResortShare - 1) / kLastResortShare;
    num_ended_ += waits->EndLongest(count, GivingUp::kShortMemory);
  }
}

void MemoryGuard::GiveBack() {
  const int64_t before = memory_.resident_bytes();
  const Clock::time_point start = Clock::now();
  memory_.give_back();
  const Clock::time_point end = Clock::now();
  other_bytes_ = OtherBytes();
  const bool was_worth_it =
      before - memory_.resident_bytes() >= max_bytes_ / kWorthShare;
  give_back_at_ =
      end + (was_worth_it ? kPauseIfWorth : kPauseIfNot) * (end - start);
}

// As long as nothing was allocated since allocators gave back.
int64_t MemoryGuard::OtherBytes() const {
  return std::max<int64_t>(memory_.resident_bytes() - memory_.allocated_bytes(),
                           0);
}

}  // namespace stridecast
