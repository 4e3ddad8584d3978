// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/biased_lock.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "base/biased_lock_rare.hpp"

namespace octavo {

namespace {
long membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0); }
}  // namespace

bool RealSteps::barrier_possible() noexcept {
#if defined(__SANITIZE_THREAD__)
  return false;
#else
  // No static of this function with a guard: a child of fork(2) would wait for ever for the thread of its parent that was just initializing it.
  enum answer : std::uint8_t { unknown, no, yes };
  static std::atomic<std::uint8_t> known{unknown};
  auto found = known.load(std::memory_order_relaxed);
  if (found == unknown) {
    found = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 ? yes : no;
    known.store(found, std::memory_order_relaxed);
  }
  return found == yes;
#endif
}

void RealSteps::barrier() noexcept {
  while (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) ::sched_yield();  // no memory for it, just now
}

template class bias::BasicBiasPolicy<RealSteps>;
template class BasicBiasedLock<RealSteps>;

}  // namespace octavo
