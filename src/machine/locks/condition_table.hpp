// SPDX-License-Identifier: Apache-2.0
// The conditions of a machine, as its agent knows them. A thread that waits gives its mutex up, and one that is notified queues for the mutex again, each in
// one step of the agent: no notification is lost between unlocking and waiting.
// Threading: one. A number is below that of add() so far.
#pragma once

#include <span>
#include <vector>

#include "machine/locks/mutex_table.hpp"

namespace octavo {

class ConditionTable {
 public:
  explicit ConditionTable(MutexTable& mutexes) : mutexes_(mutexes) {}

  void add(std::int64_t /*initial*/) { conditions_.emplace_back(); }
  // Throws usage_error if the waiter does not hold the mutex, refused.
  void request(const LockCall& call, LockWaiter waiter);
  // Notifies so many.
  void release(unsigned number, std::uint64_t object, std::uint64_t how_many);
  // The deadline is over: the waiter queues for the mutex, and is told lock_outcome::timed_out with it. Does nothing if the waiter was notified before.
  void give_up(unsigned number, std::uint64_t object, std::uint64_t request);
  // `waited`: the threads of the dead object that were queued for a mutex. What those were notified of goes to another waiter.
  void reap(std::uint64_t object, std::span<const LockWaiter> waited);

 private:
  MutexTable& mutexes_;
  std::vector<LockQueue> conditions_;
};

}  // namespace octavo
