// SPDX-License-Identifier: Apache-2.0
// A lock that costs its favourite, the thread that takes it again and again, no locked instruction: those wait until all that was written has left
// the core, which for a message is its whole price.
//
//   BiasedLock lock;   std::lock_guard guard(lock);
//
// The favourite says that it is inside by a plain store, and looks whether it is the favourite still. Another thread that comes takes that from it, has
// every running thread of this process pass a barrier (membarrier(2), some microseconds), and waits until the favourite is outside: it has either seen
// that it is no favourite, or is seen inside. The first thread that took the lock often with nobody between is the favourite, again and again, and
// nobody else is. Where the kernel has no such barrier, and for ThreadSanitizer, which does not know of it, there is no favourite: a SpinLock.
// tests/unit/base/biased_lock_model_test.cpp runs this code in every order of its steps.
// Threading: any. A thread that waits for long gives its turn away; no order among those that wait. For short work.
#pragma once

#include <atomic>
#include <chrono>

#include "octavo/base/spin_lock.hpp"
#include "octavo/base/steps.hpp"

namespace octavo {

// What biased code builds on.
namespace bias {
using Thread = RealSteps::Thread;  // 0: none

// Which thread comes so often, with nobody between, that it is worth making it the favourite. Only one thread ever is: else one of former times might
// still write where the one of now says that it is inside. Of the holder.
template <class Steps>
class BasicMerit {
 public:
  using Thread = typename Steps::Thread;
  bool earned(Thread by) noexcept;  // that thread came once more: is it to be the favourite from now on?
  // It takes twice as much the next time; or as little as the first time, if the favourite was it for so long that what taking it away costs is nothing
  // beside that.
  void was_taken_away() noexcept;
  static constexpr std::chrono::milliseconds long_enough{2};

 private:
  template <class T>
  using Plain = typename Steps::template Plain<T>;
  Plain<Thread> last_ = 0, only_ = 0;
  Plain<unsigned> streak_ = 0, needed_ = Steps::first_needed;
  typename Steps::Clock::time_point since_;  // when it was earned last
};
using Merit = BasicMerit<RealSteps>;
}  // namespace bias

template <class Steps>
class BasicBiasedLock {
 public:
  void lock() noexcept {
    const auto me = Steps::this_thread();
    if (favourite_.load(std::memory_order_relaxed) == me) {
      inside_.store(true, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (favourite_.load(std::memory_order_relaxed) == me) return;
      inside_.store(false, std::memory_order_release);
    }
    lock_as_others();
  }
  void unlock() noexcept {
    if (as_others_) return unlock_as_others();
    inside_.store(false, std::memory_order_release);
  }

 private:
  void lock_as_others() noexcept;
  void unlock_as_others() noexcept;

  typename Steps::template Atomic<typename Steps::Thread> favourite_{0};
  typename Steps::template Atomic<bool> inside_{false};    // the favourite is
  typename Steps::template Plain<bool> as_others_{false};  // the holder came by `others_`
  BasicSpinLock<Steps> others_;
  bias::BasicMerit<Steps> merit_;
};

using BiasedLock = BasicBiasedLock<RealSteps>;

}  // namespace octavo
