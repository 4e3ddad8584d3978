// SPDX-License-Identifier: Apache-2.0
// What BiasedLock and BiasPolicy do when the lock is not taken by its owner. Included where they are made of given steps: biased_lock.cpp, and the test of all
// orders.
#pragma once

#include <immintrin.h>

#include <algorithm>

#include "octavo/base/biased_lock.hpp"

namespace octavo {

template <class Steps>
bool bias::BasicBiasPolicy<Steps>::earned(Thread by) noexcept {
  streak_ = last_ == by ? streak_ + 1 : 0;
  last_ = by;
  if (streak_ < needed_ || (only_ != 0 && only_ != by) || !Steps::barrier_possible()) return false;
  streak_ = 0;
  only_ = by;
  since_ = Steps::Clock::now();
  return true;
}

template <class Steps>
void bias::BasicBiasPolicy<Steps>::was_taken_away() noexcept {
  const bool was_worth_it = Steps::Clock::now() - since_ >= long_enough;
  needed_ = was_worth_it ? Steps::first_needed : std::min(2 * needed_, Steps::most_needed);
}

template <class Steps>
void BasicBiasedLock<Steps>::lock_as_others() noexcept {
  others_.lock();
  if (owner_.load(std::memory_order_relaxed) != 0) {
    owner_.store(0, std::memory_order_relaxed);
    Steps::barrier();
    policy_.was_taken_away();
    for (int polls = 0; inside_.load(std::memory_order_acquire);) {
      _mm_pause();
      Steps::wait(++polls);
    }
  }
  as_others_ = true;
}

template <class Steps>
void BasicBiasedLock<Steps>::unlock_as_others() noexcept {
  as_others_ = false;
  const auto me = Steps::this_thread();
  if (policy_.earned(me)) owner_.store(me, std::memory_order_relaxed);
  others_.unlock();
}

}  // namespace octavo
