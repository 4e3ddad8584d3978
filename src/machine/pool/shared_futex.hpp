// SPDX-License-Identifier: Apache-2.0
// Sleeping on a word in the pool's shared memory, until another process has changed it and wakes all sleepers.
//
//   while (word.load() == seen)
//     if (!sleep_on(word, seen, deadline)) return late();      // it may have been woken for nothing
//   word.store(other), wake_all(word);
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

#include "octavo/road/doorbell.hpp"

namespace octavo {

// False: it is too late to sleep.
inline bool sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value, road::Deadline deadline) noexcept {
  const auto left = deadline == road::never ? std::chrono::nanoseconds(std::chrono::hours(1)) : std::chrono::nanoseconds(deadline - road::Clock::now());
  if (left.count() <= 0) return false;
  const timespec time{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, value, &time, nullptr, 0);
  return true;
}

inline void wake_all(std::atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace octavo
