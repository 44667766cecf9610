// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_TESTS_E2E_PAGES_H_
#define STRIDECAST_TESTS_E2E_PAGES_H_

#include <sys/mman.h>

#include <cstddef>

namespace stridecast {

// Memory that faults if it is read after the call that lent it.
class Pages {
 public:
  explicit Pages(size_t size) : size_(size) {
    address_ = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  ~Pages() { munmap(address_, size_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  const std::byte* data() const {
    return static_cast<const std::byte*>(address_);
  }
  void Forbid() { mprotect(address_, size_, PROT_NONE); }

 private:
  size_t size_;
  void* address_;
};

}  // namespace stridecast

#endif  // STRIDECAST_TESTS_E2E_PAGES_H_
