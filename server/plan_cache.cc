// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/plan_cache.h"

#include <iterator>

namespace stridecast {
namespace {

// Requests that are longer, those with constants or hundreds of instructions,
// and plans that are larger are made again.
constexpr size_t kMaxKeptBytes = 4096;
constexpr int64_t kMaxPlanBytes = int64_t{256} << 10;
constexpr int64_t kMaxBytes = int64_t{16} << 20;

}  // namespace

absl::StatusOr<PlanCache::Value> PlanCache::Get(
    SpecSource source, absl::string_view head,
    absl::FunctionRef<absl::StatusOr<Value>()> make) {
  if (max_entries_ == 0 || head.size() > kMaxKeptBytes) return make();
  const KeyView key(source, head);
  if (Value found = Find(key); found != nullptr) return found;
  absl::StatusOr<Value> made = make();
  if (made.ok()) Insert(key, *made);
  return made;
}

PlanCache::Value PlanCache::Find(const KeyView& key) {
  absl::MutexLock lock(&mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    ++counts_.misses;
    return nullptr;
  }
  ++counts_.hits;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->value;
}

void PlanCache::Insert(const KeyView& key, const Value& value) {
  constexpr int64_t kEntryBytes = 1024;  // what else there is of one
  const int64_t plan_bytes =
      value->plan == nullptr ? 0 : value->plan->memory_bytes();
  if (plan_bytes > kMaxPlanBytes) return;
  const int64_t bytes =
      plan_bytes + kEntryBytes + 2 * static_cast<int64_t>(key.second.size());
  Entries gone;  // destroyed after the lock
  absl::MutexLock lock(&mutex_);
  if (by_key_.contains(key)) return;  // another call made it meanwhile
  entries_.push_front({Key(key.first, std::string(key.second)), value, bytes});
  by_key_.emplace(KeyView(key.first, entries_.front().key.second),
                  entries_.begin());
  counts_.bytes += bytes;
  while (entries_.size() > max_entries_ || counts_.bytes > kMaxBytes) {
    const Entry& oldest = entries_.back();
    by_key_.erase(KeyView(oldest.key.first, oldest.key.second));
    counts_.bytes -= oldest.bytes;
    gone.splice(gone.begin(), entries_, std::prev(entries_.end()));
  }
}

PlanCache::Counts PlanCache::counts() const {
  absl::MutexLock lock(&mutex_);
  Counts counts = counts_;
  counts.entries = static_cast<int64_t>(entries_.size());
  return counts;
}

}  // namespace stridecast
