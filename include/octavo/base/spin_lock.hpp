// SPDX-License-Identifier: Apache-2.0
// For a few dozen instructions that are rarely contended, where a mutex would be felt: its unlocking waits until what was written under it has left the
// core, which for a line that another core reads is the price of the whole message.
//
//   SpinLock lock;   std::lock_guard guard(lock);
//
// Threading: any. Who waits for long gives its turn away; no order among those who wait.
#pragma once

#include <sched.h>

#include <atomic>

namespace octavo {

class SpinLock {
 public:
  void lock() noexcept {
    for (int tries = 0; taken_.exchange(true, std::memory_order_acquire); ++tries) {
      while (taken_.load(std::memory_order_relaxed))
        if (++tries > 100) ::sched_yield();
    }
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace octavo
