// SPDX-License-Identifier: Apache-2.0
// A biased lock: its owner, the thread that takes it again and again, acquires it without an atomic read-modify-write, which would wait until the store
// buffer is empty and so be the whole price of a message.
//
//   BiasedLock lock;   std::lock_guard guard(lock);
//
// The owner stores `inside_`, then loads `owner_` again, with no fence between. Another thread that comes (holding `others_`) clears `owner_`, has every
// running thread of this process pass a barrier (membarrier(2), some microseconds), and waits until `inside_` is false: after the barrier either the owner's
// load sees that it is the owner no more, or its store of `inside_` is visible. The first thread that took the lock often with nobody between becomes the
// owner, again and again, and no other thread does. Where the kernel has no such barrier, and for ThreadSanitizer, which does not know of it, there is no
// owner: a SpinLock.
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

// Which thread comes so often, with nobody between, that it is worth making it the owner. Only one thread ever is: else a former owner might still
// write `inside_` while the present one does. Used by the holder of the lock.
template <class Steps>
class BasicBiasPolicy {
 public:
  using Thread = typename Steps::Thread;
  bool earned(Thread by) noexcept;  // that thread came once more: is it to be the owner from now on?
  // To become the owner takes twice as much the next time; or as little as the first time, if the bias lasted so long that what taking it away costs is
  // nothing beside that.
  void was_taken_away() noexcept;
  static constexpr std::chrono::milliseconds long_enough{2};

 private:
  template <class T>
  using Plain = typename Steps::template Plain<T>;
  Plain<Thread> last_ = 0, only_ = 0;
  Plain<unsigned> streak_ = 0, needed_ = Steps::first_needed;
  typename Steps::Clock::time_point since_;  // when it was earned last
};
using BiasPolicy = BasicBiasPolicy<RealSteps>;
}  // namespace bias

template <class Steps>
class BasicBiasedLock {
 public:
  void lock() noexcept {
    const auto me = Steps::this_thread();
    if (owner_.load(std::memory_order_relaxed) == me) {
      inside_.store(true, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (owner_.load(std::memory_order_relaxed) == me) return;
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

  typename Steps::template Atomic<typename Steps::Thread> owner_{0};
  typename Steps::template Atomic<bool> inside_{false};    // the owner is
  typename Steps::template Plain<bool> as_others_{false};  // the holder came by `others_`
  BasicSpinLock<Steps> others_;
  bias::BasicBiasPolicy<Steps> policy_;
};

using BiasedLock = BasicBiasedLock<RealSteps>;

}  // namespace octavo
