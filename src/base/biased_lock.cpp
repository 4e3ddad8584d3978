// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/biased_lock.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/biased_lock_rare.hpp"

namespace octavo {

namespace {
long membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0); }
}  // namespace

bool RealSteps::barrier_possible() noexcept {
#if defined(__SANITIZE_THREAD__)
  return false;
#else
  static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  return registered;
#endif
}

void RealSteps::barrier() noexcept {
  while (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) ::sched_yield();  // no memory for it, just now
}

template class bias::BasicBiasPolicy<RealSteps>;
template class BasicBiasedLock<RealSteps>;

}  // namespace octavo
