// SPDX-License-Identifier: Apache-2.0
// Which thread reads the connections of an endpoint: one at a time. A thread that takes the role for a moment, again and again, becomes its bias owner, and
// takes it by plain stores from then on (base/biased_lock.hpp says how that is possible).
//
// A thread that waits for the role to be free first says so where the reader looks when it has left, then calls let_be_seen(), then asks is_free(): so one
// of the two sees the other.
// tests/unit/process/reader_role_model_test.cpp runs this code in every order of its steps.
// Threading: any; each thread leaves what it took.
#pragma once

#include <atomic>

#include "octavo/base/biased_lock.hpp"

namespace octavo::detail {

template <class Steps>
class BasicReaderRole {
 public:
  using Thread = typename Steps::Thread;
  [[nodiscard]] bool is_mine() const noexcept {
    const Thread me = Steps::this_thread();
    return held_.load(std::memory_order_relaxed) == me || inside_.load(std::memory_order_relaxed) == me;
  }
  [[nodiscard]] bool is_free() const noexcept { return held_.load() == 0 && inside_.load() == 0; }
  // Somebody reads, or may begin to at any moment, and is not this thread. A bias owner that has just taken the role can be missed, while another thread
  // takes its favour away, until it does its next locked operation: after that it looks once more before it sleeps (Doorbell begins a sleep with one).
  [[nodiscard]] bool may_be_anothers() const noexcept {
    const Thread me = Steps::this_thread(), held = held_.load(), bias_owner = bias_owner_.load(), inside = inside_.load();
    return (held != 0 && held != me) || (bias_owner != 0 && bias_owner != me) || (inside != 0 && inside != me);
  }
  // It is not mine yet. False: somebody else reads.
  bool try_take() noexcept {
    const Thread me = Steps::this_thread();
    if (bias_owner_.load(std::memory_order_relaxed) == me) {
      inside_.store(me, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (bias_owner_.load(std::memory_order_relaxed) == me) return true;
      inside_.store(0, std::memory_order_release);
    }
    return take_as_others(me);
  }
  // When it returns, a thread that waits for the role has been seen, or will see that it is free. `briefly`: it was taken for a moment.
  void leave(bool briefly) noexcept {
    if (inside_.load(std::memory_order_relaxed) == Steps::this_thread()) {
      inside_.store(0, std::memory_order_release);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      leave_as_others(briefly);
    }
  }
  void let_be_seen() const noexcept {
    if (Steps::barrier_possible()) Steps::barrier();
  }

 private:
  bool take_as_others(Thread me) noexcept;
  void leave_as_others(bool briefly) noexcept;

  typename Steps::template Atomic<Thread> held_{0};        // by a thread that is no bias owner
  typename Steps::template Atomic<Thread> bias_owner_{0};  // given by the thread that holds the role, taken by the one that takes it
  typename Steps::template Atomic<Thread> inside_{0};      // the bias owner, or the thread that was that when it began to read
  bias::BasicBiasPolicy<Steps> policy_;
};

using ReaderRole = BasicReaderRole<RealSteps>;

}  // namespace octavo::detail
