// SPDX-License-Identifier: Apache-2.0
// A lock that costs its favourite, the thread that takes it again and again, no locked instruction: those wait until all that was written has left
// the core, which for a message is its whole price.
//
//   BiasedLock lock;   std::lock_guard guard(lock);
//
// The favourite says that it is inside by a plain store, and looks whether it is the favourite still. Who else comes takes that from it, has every
// running thread of this process pass a barrier (membarrier(2), some microseconds), and waits until it is outside: it has either seen that it is no
// favourite, or is seen inside. The first that took the lock often with nobody between is the favourite, again
// and again, and nobody else is. Where the kernel has no such barrier, and for
// ThreadSanitizer, which does not know of it, there is no favourite: a SpinLock.
// Threading: any. Who waits for long gives its turn away; no order among those who wait. For short work.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "octavo/base/spin_lock.hpp"

namespace octavo {

// What biased code builds on.
namespace bias {
using Thread = std::uintptr_t;                                                                         // 0: none
inline Thread this_thread() noexcept { return reinterpret_cast<Thread>(__builtin_thread_pointer()); }  // what pthread_self() gives, without a call
bool possible() noexcept;
// Every thread of this process has passed a full barrier when this returns. Only where it is possible().
void barrier() noexcept;

// Who comes so often, with nobody between, that it is worth making him the favourite. Only one thread ever is: else one of former times might still
// write where the one of now says that he is inside. Of the holder.
class Merit {
 public:
  bool earned(Thread by) noexcept;  // he came once more: is he to be it from now on?
  // It takes twice as much the next time; or as little as the first time, if he was it for so long that what taking it away costs is nothing beside that.
  void was_taken_away() noexcept;
  static constexpr std::chrono::milliseconds long_enough{2};

 private:
  static constexpr unsigned first_needed = 16;
  Thread last_ = 0, only_ = 0;
  unsigned streak_ = 0, needed_ = first_needed;
  std::chrono::steady_clock::time_point since_;  // when it was earned last
};
}  // namespace bias

class BiasedLock {
 public:
  void lock() noexcept {
    const auto me = bias::this_thread();
    if (favourite_.load(std::memory_order_relaxed) == me) {
      inside_.store(true, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (favourite_.load(std::memory_order_relaxed) == me) return;
      inside_.store(false, std::memory_order_relaxed);
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

  std::atomic<bias::Thread> favourite_{0};
  std::atomic<bool> inside_{false};  // the favourite is
  bool as_others_ = false;           // the holder came by `others_`
  SpinLock others_;
  bias::Merit merit_;
};

}  // namespace octavo
