// SPDX-License-Identifier: Apache-2.0
// What the code of a lock is made of, so that a test can make it of something else: the locks are templates over this, and the test runs the same code on
// a memory of its own, where each access is a step that it puts in every order (tests/kit/model).
//
// Threading: any.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "octavo/base/poll_budget.hpp"

namespace octavo {

struct RealSteps {
  template <class T>
  using Atomic = std::atomic<T>;
  template <class T>
  using Plain = T;                // only the holder of a lock reads and writes it
  using Thread = std::uintptr_t;  // 0: none
  using Clock = std::chrono::steady_clock;

  // What pthread_self() gives, without a call.
  static Thread this_thread() noexcept { return reinterpret_cast<Thread>(__builtin_thread_pointer()); }
  static bool barrier_possible() noexcept;
  // Every thread of this process has passed a full barrier when this returns. Only where it is possible.
  static void barrier() noexcept;
  // The thread has polled that often, and polls again.
  static void wait(int polls) noexcept {
    if (polls > PollBudget::spin_lock.usual) ::sched_yield();
  }
  // How often a thread comes, with nobody between, until it is the owner.
  static constexpr unsigned first_needed = 16, most_needed = 1 << 20;
};

}  // namespace octavo
