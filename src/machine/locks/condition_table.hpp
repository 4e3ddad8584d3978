// SPDX-License-Identifier: Apache-2.0
// The conditions of a machine, as its agent knows them: who waits at each. To wait gives the mutex up, and to be notified is to wait for the mutex:
// all in one step of the agent's, so that no notification falls between.
//
//   unsigned number = conditions.make();
//   conditions.wait(number, mutex, who);     // throws usage_error if he does not hold it
//   conditions.notify(number, 1);            // he has the mutex again, or waits for it
//   conditions.bury(object, who_waited);     // what he had been notified of goes to another one
//
// Threading: one. A number is one that make() gave. Failure: refused, of what is beyond a bound.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "machine/locks/mutex_table.hpp"

namespace octavo {

class ConditionTable {
 public:
  explicit ConditionTable(MutexTable& mutexes) : mutexes_(mutexes) {}

  unsigned make();
  void wait(unsigned number, unsigned mutex, LockWaiter who);
  void notify(unsigned number, std::uint64_t how_many);
  // His time is over: he gets the mutex, and is told so then. False if he does not wait here any more.
  bool give_up(unsigned number, std::uint64_t object, std::uint64_t request);
  // `waited`: his threads that waited for a mutex.
  void bury(std::uint64_t object, std::span<const LockWaiter> waited);

 private:
  struct Waiting {
    LockWaiter who;
    unsigned mutex = 0;
  };
  MutexTable& mutexes_;
  std::vector<std::deque<Waiting>> conditions_;
};

}  // namespace octavo
