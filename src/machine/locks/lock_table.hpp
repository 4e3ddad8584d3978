// SPDX-License-Identifier: Apache-2.0
// All locks of a machine, by kind and name: what its agent does with what its processes say of them. It believes none of it.
//
//   LockTable locks(memory, tell, is_alive);
//   unsigned number = locks.open(lock_kind::mutex, "m", 0);       // the same name, the same number
//   locks.wish({0, lock_kind::mutex, number}, who);               // `tell` says when, and how it came out
//   locks.release(lock_kind::mutex, number, who, 1);
//   locks.bury(slot, object, obituary);
//
// Threading: one. Failure: usage_error and refused, which are for whoever wished.
#pragma once

#include <array>
#include <map>
#include <string>

#include "machine/locks/condition_table.hpp"
#include "machine/locks/semaphore_table.hpp"

namespace octavo {

// What a process wants of a lock: to have a mutex, or a unit; or to wait at a condition, giving up the mutex meanwhile.
struct LockCall {
  lock_kind kind = lock_kind::mutex;
  unsigned number = 0;
  bool at_once = false;
  unsigned mutex = 0;  // of a condition
};

class LockTable {
 public:
  LockTable(const Fd& memory, TellWaiter tell, MutexTable::IsAlive is_alive);
  [[nodiscard]] const LockWords& words() const noexcept { return words_; }

  // `initial`: of a semaphore.
  unsigned open(lock_kind kind, const std::string& name, std::int64_t initial);
  void wish(const LockCall& call, const LockWaiter& who);
  // A mutex is unlocked, units are released, so many who wait at a condition are notified. What is not true of them is not done.
  void release(lock_kind kind, unsigned number, const LockWaiter& who, std::uint64_t how_many);
  // He is told how it came out, as far as he was not yet.
  void give_up(lock_kind kind, unsigned number, const LockWaiter& who);
  void bury(unsigned slot, std::uint64_t object, const Obituary& obituary);

 private:
  [[nodiscard]] bool is_open(lock_kind kind, unsigned number) const;
  unsigned make(lock_kind kind, std::int64_t initial);

  LockWords words_;
  std::array<std::map<std::string, unsigned>, 3> numbers_;  // by kind
  MutexTable mutexes_;
  SemaphoreTable semaphores_;
  ConditionTable conditions_;
};

}  // namespace octavo
