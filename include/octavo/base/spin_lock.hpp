// SPDX-License-Identifier: Apache-2.0
// For a few dozen instructions that are rarely contended, where a mutex would be felt: its unlocking waits until what was written under it has left the
// core, which for a line that another core reads is the price of the whole message.
//
//   SpinLock lock;   std::lock_guard guard(lock);
//
// Threading: any. A thread that waits for long gives its turn away; no order among those that wait.
#pragma once

#include "octavo/base/steps.hpp"

namespace octavo {

template <class Steps>
class BasicSpinLock {
 public:
  void lock() noexcept {
    for (int tries = 0; taken_.exchange(true, std::memory_order_acquire); ++tries) {
      while (taken_.load(std::memory_order_relaxed)) Steps::wait(++tries);
    }
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  typename Steps::template Atomic<bool> taken_{false};
};

using SpinLock = BasicSpinLock<RealSteps>;

}  // namespace octavo
