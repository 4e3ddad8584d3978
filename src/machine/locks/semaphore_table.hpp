// SPDX-License-Identifier: Apache-2.0
// The semaphores of a machine, as its agent knows them: the units of each, the queue for them, and how many each object has taken more than it gave back.
// Threading: one. A number is below that of add() so far.
#pragma once

#include <map>
#include <vector>

#include "machine/locks/lock_waiter.hpp"

namespace octavo {

class SemaphoreTable {
 public:
  explicit SemaphoreTable(TellWaiter tell) : tell_(std::move(tell)) {}

  void add(std::int64_t initial);
  [[nodiscard]] std::int64_t initial(unsigned number) const { return semaphores_[number].initial; }
  // Throws refused.
  void request(const LockCall& call, const LockWaiter& waiter);
  // Units beyond most_units are lost.
  void release(unsigned number, std::uint64_t object, std::uint64_t units);
  // A waiter that has no unit yet is told lock_outcome::gave_up.
  void give_up(unsigned number, std::uint64_t object, std::uint64_t request);
  // The units that a dead object had taken come back, and the next waiter is told lock_outcome::abandoned. What one that was destroyed, or rests, had taken is
  // used up.
  void reap(std::uint64_t object, const Obituary& obituary);

 private:
  struct Semaphore {
    std::int64_t initial = 0, units = 0;
    LockQueue queue;
    std::map<std::uint64_t, std::int64_t> taken;  // by object; negative if it gave more
    std::optional<Obituary> abandoned;            // of the object whose death the next waiter is to be told
  };
  void settle(Semaphore& semaphore);

  TellWaiter tell_;
  std::vector<Semaphore> semaphores_;
};

}  // namespace octavo
