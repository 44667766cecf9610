// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The C library's heap, which gRPC receives messages into.

#ifndef STRIDECAST_SERVER_HEAP_H_
#define STRIDECAST_SERVER_HEAP_H_

#include <cstdint>

namespace stridecast {

// Keeps what is freed for what is allocated next, instead of giving it to the
// system and faulting its pages in again. Before threads start.
void KeepFreedMemory();

// What is allocated, also what is too large for the heap.
int64_t HeapBytesInUse();

// Gives the system what is free.
void TrimHeap();
// The same, if this process holds much more than some that it always does and
// `used_bytes`.
void TrimGreatHeap(int64_t used_bytes);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_HEAP_H_
