// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// For the thread sanitizer alone. oneTBB passes work from thread to thread and
// is built without it, so that the sanitizer has to be told.

#ifndef STRIDECAST_CORE_EXEC_HANDOFF_H_
#define STRIDECAST_CORE_EXEC_HANDOFF_H_

#ifdef STRIDECAST_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace stridecast {

// What a thread did before Give(work) comes before what another does after
// Take(work).
inline void Give([[maybe_unused]] const void* work) {
#ifdef STRIDECAST_TSAN
  __tsan_release(const_cast<void*>(work));
#endif
}

inline void Take([[maybe_unused]] const void* work) {
#ifdef STRIDECAST_TSAN
  __tsan_acquire(const_cast<void*>(work));
#endif
}

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_HANDOFF_H_
