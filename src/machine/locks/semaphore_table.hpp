// SPDX-License-Identifier: Apache-2.0
// The semaphores of a machine, as its agent knows them: how many units each has, who waits for one, and who has taken how many more than he gave back.
//
//   unsigned number = semaphores.make(4);
//   semaphores.acquire(number, who, false);   // he is told when he has one; who comes first has it first
//   semaphores.release(number, object, 2);
//   semaphores.bury(object, obituary);        // the units he had taken come back, and the next one hears of it, without having one
//
// Threading: one. A number is one that make() gave. Failure: refused, of what is beyond a bound.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "machine/locks/lock_waiter.hpp"

namespace octavo {

class SemaphoreTable {
 public:
  explicit SemaphoreTable(TellWaiter tell) : tell_(std::move(tell)) {}

  unsigned make(std::int64_t initial);
  [[nodiscard]] std::int64_t initial(unsigned number) const { return semaphores_[number].initial; }
  void acquire(unsigned number, const LockWaiter& who, bool at_once);
  // Beyond most_units they are lost.
  void release(unsigned number, std::uint64_t object, std::uint64_t units);
  // He waits no longer, and is told so. False if he does not wait here.
  bool give_up(unsigned number, std::uint64_t object, std::uint64_t request);
  // Of one that was destroyed, or rests, what it had taken is used up.
  void bury(std::uint64_t object, const Obituary& obituary);

 private:
  struct Semaphore {
    std::int64_t initial = 0, units = 0;
    std::deque<LockWaiter> queue;
    std::map<std::uint64_t, std::int64_t> taken;  // by whom; less than nothing if he gave more
    std::optional<Obituary> abandoned;            // of whom the next one is to hear
  };
  void settle(Semaphore& semaphore);

  TellWaiter tell_;
  std::vector<Semaphore> semaphores_;
};

}  // namespace octavo
