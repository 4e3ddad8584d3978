// SPDX-License-Identifier: Apache-2.0
#include "process/polling/reader_role.hpp"

namespace octavo::detail {

bool ReaderRole::take_as_others(bias::Thread me) noexcept {
  bias::Thread nobody = 0;
  if (!held_.compare_exchange_strong(nobody, me)) return false;
  if (favourite_.load(std::memory_order_relaxed) != 0) {
    favourite_.store(0, std::memory_order_relaxed);
    bias::barrier();
    merit_.was_taken_away();
  }
  if (inside_.load(std::memory_order_acquire) == 0) return true;
  held_.store(0);
  return false;
}

void ReaderRole::leave_as_others(bool briefly) noexcept {
  const auto me = bias::this_thread();
  if (briefly && merit_.earned(me)) favourite_.store(me, std::memory_order_relaxed);
  held_.store(0);  // with a fence: see the head
}

}  // namespace octavo::detail
