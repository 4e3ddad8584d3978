// SPDX-License-Identifier: Apache-2.0
// An allocator for small objects that come and go by the thousand: each thread keeps some of the memory it frees, for the next. (The C library gives
// a thousand of them back to the system when they are freed, and has it clear the pages again when the next thousand is made.)
//
//   auto state = std::allocate_shared<State<int>>(Recycled<State<int>>());
//
// At most 2,048 blocks of 256 bytes are kept by a thread, until it ends; larger objects come from operator new. Nothing is kept where a sanitizer
// watches who uses freed memory. Threading: any; what one thread made another may free.
#pragma once

#include <cstddef>
#include <new>

namespace octavo {

namespace recycled {
inline constexpr std::size_t block_bytes = 256;
void* take();  // throws std::bad_alloc
void give_back(void* block) noexcept;
}  // namespace recycled

template <class T>
struct Recycled {
  using value_type = T;
  Recycled() = default;
  template <class Other>
  Recycled(const Recycled<Other>&) noexcept {}  // NOLINT(google-explicit-constructor): as an allocator must
  T* allocate(std::size_t count) {
    if constexpr (fits)
      if (count == 1) return static_cast<T*>(recycled::take());
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }
  void deallocate(T* at, std::size_t count) noexcept {
    if constexpr (fits)
      if (count == 1) return recycled::give_back(at);
    ::operator delete(at);
  }
  bool operator==(const Recycled&) const noexcept { return true; }

 private:
  static_assert(alignof(T) <= alignof(std::max_align_t));
  static constexpr bool fits = sizeof(T) <= recycled::block_bytes;
};

}  // namespace octavo
