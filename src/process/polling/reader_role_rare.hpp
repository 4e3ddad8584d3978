// SPDX-License-Identifier: Apache-2.0
// What ReaderRole does when no bias owner takes it. Included where it is made of given steps: reader_role.cpp, and the test of all orders.
#pragma once

#include "process/polling/reader_role.hpp"

namespace octavo::detail {

template <class Steps>
bool BasicReaderRole<Steps>::take_as_others(Thread me) noexcept {
  Thread nobody = 0;
  if (!held_.compare_exchange_strong(nobody, me)) return false;
  if (bias_owner_.load(std::memory_order_relaxed) != 0) {
    bias_owner_.store(0, std::memory_order_relaxed);
    Steps::barrier();
    policy_.was_taken_away();
  }
  if (inside_.load(std::memory_order_acquire) == 0) return true;
  held_.store(0);
  return false;
}

template <class Steps>
void BasicReaderRole<Steps>::leave_as_others(bool briefly) noexcept {
  const Thread me = Steps::this_thread();
  if (briefly && policy_.earned(me)) bias_owner_.store(me, std::memory_order_relaxed);
  held_.store(0);  // with a fence: see the head
}

}  // namespace octavo::detail
