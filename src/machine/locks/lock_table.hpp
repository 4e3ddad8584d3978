// SPDX-License-Identifier: Apache-2.0
// All locks of a machine, by kind and name: what its agent does with what its processes ask for and say. It believes none of it.
//
//   LockTable locks(memory, tell, is_alive);
//   unsigned number = locks.open(lock_kind::mutex, "m", 0);       // the same name, the same number
//   locks.request({lock_kind::mutex, number}, waiter);            // `tell` says when, and how it came out
//   locks.release(lock_kind::mutex, number, object, 1);
//   locks.reap(slot, object, obituary);
//
// Threading: one. Failure: usage_error and refused, for the process that asked.
#pragma once

#include <array>
#include <map>
#include <string>

#include "machine/locks/barrier_table.hpp"
#include "machine/locks/condition_table.hpp"
#include "machine/locks/event_table.hpp"
#include "machine/locks/semaphore_table.hpp"

namespace octavo {

class LockTable {
 public:
  LockTable(const Fd& memory, TellWaiter tell, MutexTable::IsAlive is_alive);
  [[nodiscard]] const LockWords& words() const noexcept { return words_; }

  // `initial`: of a semaphore, or how many come to a barrier. `object`: who opens it.
  unsigned open(lock_kind kind, const std::string& name, std::int64_t initial, std::uint64_t object = 0);
  void request(const LockCall& call, const LockWaiter& waiter);
  // A mutex is unlocked, units are released, so many waiters at a condition are notified. What is not true of them is not done.
  void release(lock_kind kind, unsigned number, std::uint64_t object, std::uint64_t how_many);
  // Of a thread whose process does not see the words. False: it does not hold the mutex.
  bool unlock(unsigned number, unsigned slot, std::uint32_t thread);
  // The waiter is told how its request came out, unless it was told before.
  void give_up(lock_kind kind, unsigned number, std::uint64_t object, std::uint64_t request);
  void reap(unsigned slot, std::uint64_t object, const Obituary& obituary);

 private:
  unsigned number_of(lock_kind kind, const std::string& name, std::int64_t initial);
  void check_new(lock_kind kind, const std::string& name, std::int64_t initial) const;
  void check_initial(lock_kind kind, unsigned number, std::int64_t initial) const;
  [[nodiscard]] bool is_open(lock_kind kind, unsigned number) const;
  template <class Use>
  void with_table(lock_kind kind, const Use& use);

  LockWords words_;
  std::array<std::map<std::string, unsigned>, lock_kinds> numbers_;  // by kind
  MutexTable mutexes_;
  SemaphoreTable semaphores_;
  ConditionTable conditions_;
  BarrierTable barriers_;
  EventTable events_;
};

}  // namespace octavo
