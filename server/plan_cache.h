// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Plans of requests that come again: most callers send the same program with
// other numbers.
// Rules:
//   (C1) an entry is found by all bytes of a request but its payloads; requests
//        that differ in one of them never share a plan
//   (C2) errors are not kept
//   (C3) memory is bounded: by the number of entries and by the bytes of one
//        and of all plans, since a byte of a request may become hundreds

#ifndef STRIDECAST_SERVER_PLAN_CACHE_H_
#define STRIDECAST_SERVER_PLAN_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "core/engine/engine.h"
#include "proto/wire/request_codec.h"

namespace stridecast {

// All that is known of a request before its payloads are looked at.
struct PlannedRequest {
  RequestSpec spec;
  std::shared_ptr<const Plan> plan;
  std::string reply_head;  // see EncodeReplyHead
};

// Thread-safe.
class PlanCache {
 public:
  using Value = std::shared_ptr<const PlannedRequest>;

  // `max_entries` 0: nothing is kept. The least recently used one goes.
  explicit PlanCache(size_t max_entries) : max_entries_(max_entries) {}

  // That of this source and these bytes, made by `make` if there is none.
  absl::StatusOr<Value> Get(SpecSource source, absl::string_view head,
                            absl::FunctionRef<absl::StatusOr<Value>()> make);

  struct Counts {
    int64_t hits = 0;
    int64_t misses = 0;
    int64_t entries = 0;
    int64_t bytes = 0;  // of all entries, about
  };
  Counts counts() const;

 private:
  using Key = std::pair<SpecSource, std::string>;
  using KeyView = std::pair<SpecSource, absl::string_view>;
  struct Entry {
    Key key;
    Value value;
    int64_t bytes;
  };
  using Entries = std::list<Entry>;

  Value Find(const KeyView& key);
  void Insert(const KeyView& key, const Value& value);

  const size_t max_entries_;
  mutable absl::Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);  // the last used one first
  // Its keys view those of the entries.
  absl::flat_hash_map<KeyView, Entries::iterator> by_key_
      ABSL_GUARDED_BY(mutex_);
  Counts counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_PLAN_CACHE_H_
