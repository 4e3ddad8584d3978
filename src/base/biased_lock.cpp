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

bool Merit::earned(Thread by) noexcept {
  streak_ = last_ == by ? streak_ + 1 : 0;
  last_ = by;
  if (streak_ < needed_ || (only_ != 0 && only_ != by) || !possible()) return false;
  streak_ = 0;
  only_ = by;
  since_ = std::chrono::steady_clock::now();
  return true;
}

void Merit::was_taken_away() noexcept {
  const bool was_worth_it = std::chrono::steady_clock::now() - since_ >= long_enough;
  needed_ = was_worth_it ? first_needed : std::min(2 * needed_, most_needed);
}

}  // namespace bias

void BiasedLock::lock_as_others() noexcept {
  others_.lock();
  if (favourite_.load(std::memory_order_relaxed) != 0) {
    favourite_.store(0, std::memory_order_relaxed);
    bias::barrier();
    merit_.was_taken_away();
    for (int looks = 0; inside_.load(std::memory_order_acquire);) {
      _mm_pause();
      if (++looks > 100) ::sched_yield();
    }
  }
  as_others_ = true;
}

void BiasedLock::unlock_as_others() noexcept {
  as_others_ = false;
  const auto me = bias::this_thread();
  if (merit_.earned(me)) favourite_.store(me, std::memory_order_relaxed);
  others_.unlock();
}

}  // namespace octavo
