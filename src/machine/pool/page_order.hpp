// SPDX-License-Identifier: Apache-2.0
// For ThreadSanitizer only: a page that is given away comes back by way of another process, and ThreadSanitizer does not see that process synchronize.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace octavo {

inline void passed_on([[maybe_unused]] void* pool) noexcept {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(pool);
#endif
}

inline void taken_up([[maybe_unused]] void* pool) noexcept {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(pool);
#endif
}

}  // namespace octavo
