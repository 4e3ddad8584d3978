// SPDX-License-Identifier: Apache-2.0
#include "fuzz/kit/check.hpp"

#include <atomic>

// Of the sanitizers' runtime; null without one.
extern "C" {
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                                    void (*on_free)(const volatile void*));
__attribute__((weak)) std::size_t __sanitizer_get_allocated_size(const volatile void* memory);
}

namespace octavo::fuzz {

namespace {

std::atomic<std::int64_t> live{0}, most{0};

void on_malloc(const volatile void* /*memory*/, std::size_t size) {
  std::int64_t now = live += static_cast<std::int64_t>(size);
  for (std::int64_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {}
}

void on_free(const volatile void* memory) {
  if (memory != nullptr) live -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(memory));
}

bool install() {
  if (__sanitizer_install_malloc_and_free_hooks == nullptr || __sanitizer_get_allocated_size == nullptr) return false;
  require(__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) != 0, "the sanitizer tells of each allocation");
  return true;
}

}  // namespace

Memory::Memory() {
  static const bool installed = install();
  static_cast<void>(installed);
  live = 0;
  most = 0;
}

std::int64_t Memory::peak() const { return most; }

}  // namespace octavo::fuzz
