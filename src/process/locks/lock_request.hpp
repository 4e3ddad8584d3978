// SPDX-License-Identifier: Apache-2.0
// A request for a lock as the thread that waits for its answer and the watch thread, which hears the agent, share it.
//
//   if (pending->leave_open(LockRequestState::stage::left)) recall();      // the thread goes, and the answer finds that it has gone
//
// Threading: `at` decides which of the two came first; `answer` and `error` are the watch thread's until it has left `open`.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "machine/notices/lock_notices.hpp"

namespace octavo::detail {

struct LockRequestState {
  enum class stage : std::uint8_t { open, answered, left };
  std::atomic<stage> at{stage::open};
  control::LockAnswer answer{};
  std::exception_ptr error;

  bool leave_open(stage next) noexcept {
    auto open = stage::open;
    return at.compare_exchange_strong(open, next);
  }
  [[nodiscard]] bool answered() const noexcept { return at.load(std::memory_order_acquire) == stage::answered; }
  // The thread has the lock, or has it again.
  [[nodiscard]] bool granted() const { return !error && is_granted(answer); }
  static bool is_granted(const control::LockAnswer& answer) { return answer.outcome == lock_outcome::held || answer.outcome == lock_outcome::timed_out; }
};

}  // namespace octavo::detail
