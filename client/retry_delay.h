// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CLIENT_RETRY_DELAY_H_
#define STRIDECAST_CLIENT_RETRY_DELAY_H_

#include "absl/random/bit_gen_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"

namespace stridecast {

// How long to wait before a call that failed with `status`, for the
// `attempts`-th time, is tried again: what the server asks for, and then a
// backoff that doubles with each attempt, from 100 ms, give or take a half at
// random. A server that is full asks all its callers to wait as long: without
// the backoff on top they would all be back at once.
absl::Duration DelayBeforeRepeat(const absl::Status& status, int attempts,
                                 absl::BitGenRef random);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_RETRY_DELAY_H_
