// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/biased_lock.hpp"

#include <immintrin.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace octavo {

namespace {
constexpr unsigned most_needed = 1 << 20;
long membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0); }
}  // namespace

namespace bias {

bool possible() noexcept {
#if defined(__SANITIZE_THREAD__)
  return false;
#else
  static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  return registered;
#endif
}

void barrier() noexcept {
  while (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) ::sched_yield();  // no memory for it, just now
}

}  // namespace bias

void BiasedLock::lock_as_others(bias::Thread me) noexcept {
  others_.lock();
  if (favourite_.load(std::memory_order_relaxed) != 0) {
    favourite_.store(0, std::memory_order_relaxed);
    bias::barrier();
    needed_ = std::min(2 * needed_, most_needed);
    for (int looks = 0; inside_.load(std::memory_order_acquire);) {
      _mm_pause();
      if (++looks > 100) ::sched_yield();
    }
  }
  streak_ = last_ == me ? streak_ + 1 : 0;
  last_ = me;
  as_others_ = true;
}

void BiasedLock::unlock_as_others() noexcept {
  as_others_ = false;
  if (streak_ >= needed_ && (only_ == 0 || only_ == last_) && bias::possible()) {
    streak_ = 0;
    only_ = last_;
    favourite_.store(last_, std::memory_order_relaxed);
  }
  others_.unlock();
}

}  // namespace octavo
