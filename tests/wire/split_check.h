// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_TESTS_WIRE_SPLIT_CHECK_H_
#define STRIDECAST_TESTS_WIRE_SPLIT_CHECK_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "proto/wire/request_codec.h"

namespace stridecast::testing {

// Whether Split, and protobuf of what it leaves over, accept these bytes and
// make the same of them as protobuf of the whole message; "" if so, else what
// differs. `source`: kCompute, kRelayout or kComputeStream.
std::string CheckSplit(absl::string_view bytes, size_t slice_bytes,
                       SpecSource source);

// Whether DecodeStreamRequest makes of these bytes the event that protobuf
// does, of several the last one; "" if so, else what differs.
std::string CheckStreamEvent(absl::string_view bytes, size_t slice_bytes);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_WIRE_SPLIT_CHECK_H_
