// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where exceptions, which only the standard library throws, end.

#ifndef STRIDECAST_SERVER_WITHOUT_EXCEPTIONS_H_
#define STRIDECAST_SERVER_WITHOUT_EXCEPTIONS_H_

#include <exception>
#include <new>

#include "absl/status/status.h"

namespace stridecast {

// What `work` returns; kResourceExhausted if it runs out of memory.
template <typename Work>
auto WithoutExceptions(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("no memory for the call");
  } catch (const std::exception& error) {
    return absl::InternalError(error.what());
  }
}

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_WITHOUT_EXCEPTIONS_H_
