// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/interruption.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <new>
#include <utility>

#include "absl/strings/string_view.h"
#include "client/tool/progress.h"

namespace stridecast {
namespace {

// More files at a time than these stay behind, which no call has.
constexpr size_t kMaxFiles = 64;

std::atomic<const char*> temporary_files[kMaxFiles];
std::atomic<int> drawn_on = -1;
static_assert(std::atomic<const char*>::is_always_lock_free);

void Print(int descriptor, absl::string_view text) {
  // Nobody is left to be told of an error.
  [[maybe_unused]] const ssize_t written =
      write(descriptor, text.data(), text.size());
}

void CleanUp() {
  for (std::atomic<const char*>& file : temporary_files) {
    if (const char* path = file.load()) unlink(path);
  }
  const int terminal = drawn_on.exchange(-1);
  if (terminal >= 0) Print(terminal, kClearLine);
}

// Once the handler returns the signal has its default meaning.
void EndBySignal(int signal) {
  CleanUp();
  raise(signal);
}

void EndByShrunkFile(int) {
  CleanUp();
  Print(STDERR_FILENO,
        "stridecast: an input file became shorter while it was read\n");
  _exit(1);
}

// What main catches of its own thread; those of gRPC end here.
void EndByException() {
  if (std::exception_ptr exception = std::current_exception()) {
    try {
      std::rethrow_exception(std::move(exception));
    } catch (const std::bad_alloc&) {
      CleanUp();
      Print(STDERR_FILENO, "stridecast: out of memory\n");
      _exit(1);
    } catch (...) {
    }
  }
  abort();
}

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;  // nohup
  action = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void HandleInterruptions() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    Handle(signal, &EndBySignal);
  }
  Handle(SIGBUS, &EndByShrunkFile);
  signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(&EndByException);
}

TemporaryFile::TemporaryFile(std::string path)
    : path_(std::make_unique<std::string>(std::move(path))), slot_(0) {
  for (; slot_ < kMaxFiles; ++slot_) {
    const char* none = nullptr;
    if (temporary_files[slot_].compare_exchange_strong(none, path_->c_str())) {
      return;
    }
  }
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::move(other.path_)),
      slot_(std::exchange(other.slot_, kMaxFiles)) {}

TemporaryFile::~TemporaryFile() {
  if (slot_ < kMaxFiles) temporary_files[slot_] = nullptr;
}

void NoteDrawnLine(int terminal) { drawn_on = terminal; }

}  // namespace stridecast
