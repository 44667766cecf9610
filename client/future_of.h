// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the asynchronous forms of calls share.

#ifndef STRIDECAST_CLIENT_FUTURE_OF_H_
#define STRIDECAST_CLIENT_FUTURE_OF_H_

#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/rpc.h"

namespace stridecast {

// The future of what `start` gives to the function that it is called with.
template <typename T, typename StartFunction>
std::future<T> FutureOf(const StartFunction& start) {
  // Shared, because std::function is copied.
  auto promise = std::make_shared<std::promise<T>>();
  std::future<T> future = promise->get_future();
  start([promise](T result) { promise->set_value(std::move(result)); });
  return future;
}

// For a call whose results go elsewhere.
inline std::function<void(absl::StatusOr<Nothing>)> WithStatusAlone(
    std::function<void(absl::Status)> done) {
  if (!done) return {};
  return [done = std::move(done)](const absl::StatusOr<Nothing>& result) {
    done(result.status());
  };
}

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_FUTURE_OF_H_
