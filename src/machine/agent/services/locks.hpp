// SPDX-License-Identifier: Apache-2.0
// The locks of this machine between the agent's own processes: those of another agent have others of the same names. What the processes ask for and say of
// locks goes to the LockTable, and what it decides to them.
//
//   Locks locks(processes, memory, [](unsigned slot) { return slots.is_taken(slot); });
//   locks.take(requester, control::LockRequest{...});   // answered when it is decided
//   locks.process_died(slot, object, obituary);
//
// Threading: the agent's. Failure: what a process asks wrongly is answered Failed.
#pragma once

#include "machine/agent/children/processes.hpp"
#include "machine/agent/common/requester.hpp"
#include "machine/locks/lock_table.hpp"

namespace octavo::agent {

class Locks {
 public:
  // `memory`: of the words of the mutexes (LockWords::make). `is_taken`: a process has this slot.
  Locks(Processes& processes, const Fd& memory, MutexTable::IsAlive is_taken);

  void take(const RequesterPtr& requester, const control::LockNotice& notice);
  void release(const Child& from, const control::LockRelease& release);
  // The requests of its next process have numbers of their own.
  void slot_given(unsigned slot) { table_.words().given_to(slot).store(0, std::memory_order_relaxed); }
  void process_died(unsigned slot, std::uint64_t object, const Obituary& obituary) { table_.reap(slot, object, obituary); }

 private:
  void tell(const LockWaiter& waiter, lock_outcome outcome, const Obituary* died);

  Processes& processes_;
  LockTable table_;
};

}  // namespace octavo::agent
