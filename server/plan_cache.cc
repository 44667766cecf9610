// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/plan_cache.h"

#include <iterator>

namespace stridecast {
namespace {

// Longer ones, those with constants or hundreds of instructions, are planned
// again: their plans would take much more memory.
constexpr size_t kMaxKeptBytes = 4096;

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
  Entries last;  // destroyed after the lock
  absl::MutexLock lock(&mutex_);
  if (by_key_.contains(key)) return;  // another call made it meanwhile
  entries_.push_front({Key(key.first, std::string(key.second)), value});
  by_key_.emplace(KeyView(key.first, entries_.front().key.second),
                  entries_.begin());
  if (entries_.size() <= max_entries_) return;
  const Key& oldest = entries_.back().key;
  by_key_.erase(KeyView(oldest.first, oldest.second));
  last.splice(last.begin(), entries_, std::prev(entries_.end()));
}

PlanCache::Counts PlanCache::counts() const {
  absl::MutexLock lock(&mutex_);
  Counts counts = counts_;
  counts.entries = static_cast<int64_t>(entries_.size());
  return counts;
}

}  // namespace stridecast
