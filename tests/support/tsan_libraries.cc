// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tells the thread sanitizer what absl::Mutex and gRPC order. The distribution
// builds them without it, so that whatever they guard, our own data included,
// looks like a race. Functions that a program defines are called instead of a
// shared library's, also by the libraries themselves; these call on.

#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include "absl/synchronization/mutex.h"
#include "grpc/grpc.h"

// Named by the linker, which takes this file into every program.
extern "C" {
int stridecast_tsan_libraries = 0;
}

namespace {

// gRPC also passes things on in lists without locks, which cannot be seen: its
// mutexes count as one, whose order holds for what they do not guard either.
char of_libraries;

// The library's own function of that mangled name.
template <typename F>
F* Original(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// The ends of the program's own code, from the linker.
extern "C" {
extern const char __executable_start;
extern const char etext;

// What was done before a batch of operations comes before what is done after
// its end was waited for.
grpc_call_error grpc_call_start_batch(grpc_call* call, const grpc_op* ops,
                                      size_t nops, void* tag, void* reserved) {
  static const auto original =
      Original<decltype(grpc_call_start_batch)>("grpc_call_start_batch");
  __tsan_release(&of_libraries);
  return original(call, ops, nops, tag, reserved);
}

grpc_event grpc_completion_queue_next(grpc_completion_queue* queue,
                                      gpr_timespec deadline, void* reserved) {
  static const auto original = Original<decltype(grpc_completion_queue_next)>(
      "grpc_completion_queue_next");
  const grpc_event event = original(queue, deadline, reserved);
  __tsan_acquire(&of_libraries);
  return event;
}
}

namespace absl {
namespace {

#define STRIDECAST_MANGLED(suffix) "_ZN4absl7debian3" suffix

bool IsOfLibrary(const void* caller) {
  return caller < &__executable_start || caller >= &etext;
}

void NoteLock(Mutex* mutex, const void* caller) {
  __tsan_acquire(mutex);
  if (IsOfLibrary(caller)) __tsan_acquire(&of_libraries);
}

void NoteUnlock(Mutex* mutex, const void* caller) {
  __tsan_release(mutex);
  if (IsOfLibrary(caller)) __tsan_release(&of_libraries);
}

}  // namespace

void Mutex::Lock() {
  static const auto original =
      Original<void(Mutex*)>(STRIDECAST_MANGLED("5Mutex4LockEv"));
  original(this);
  NoteLock(this, __builtin_return_address(0));
}

bool Mutex::TryLock() {
  static const auto original =
      Original<bool(Mutex*)>(STRIDECAST_MANGLED("5Mutex7TryLockEv"));
  const bool is_locked = original(this);
  if (is_locked) NoteLock(this, __builtin_return_address(0));
  return is_locked;
}

void Mutex::Unlock() {
  static const auto original =
      Original<void(Mutex*)>(STRIDECAST_MANGLED("5Mutex6UnlockEv"));
  NoteUnlock(this, __builtin_return_address(0));
  original(this);
}

void Mutex::LockWhen(const Condition& condition) {
  static const auto original = Original<void(Mutex*, const Condition&)>(
      STRIDECAST_MANGLED("5Mutex8LockWhenERKNS0_9ConditionE"));
  original(this, condition);
  NoteLock(this, __builtin_return_address(0));
}

void CondVar::Wait(Mutex* mutex) {
  static const auto original = Original<void(CondVar*, Mutex*)>(
      STRIDECAST_MANGLED("7CondVar4WaitEPNS0_5MutexE"));
  NoteUnlock(mutex, __builtin_return_address(0));
  original(this, mutex);
  NoteLock(mutex, __builtin_return_address(0));
}

bool CondVar::WaitWithDeadline(Mutex* mutex, Time deadline) {
  static const auto original = Original<bool(CondVar*, Mutex*, Time)>(
      STRIDECAST_MANGLED("7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE"));
  NoteUnlock(mutex, __builtin_return_address(0));
  const bool is_late = original(this, mutex, deadline);
  NoteLock(mutex, __builtin_return_address(0));
  return is_late;
}

bool CondVar::WaitWithTimeout(Mutex* mutex, Duration timeout) {
  static const auto original =
      Original<bool(CondVar*, Mutex*, Duration)>(STRIDECAST_MANGLED(
          "7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE"));
  NoteUnlock(mutex, __builtin_return_address(0));
  const bool is_late = original(this, mutex, timeout);
  NoteLock(mutex, __builtin_return_address(0));
  return is_late;
}

}  // namespace absl
