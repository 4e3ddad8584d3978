// SPDX-License-Identifier: Apache-2.0
// The locks of the home at a lasting agent. They are those of LockTable, whose processes here are of any agent: each is a party, with a number for a slot.
//
//   HomeLockTable locks;
//   locks.request(facts, request, [](lock_outcome outcome, const Obituary* died) { ... });   // told when it is decided
//   locks.take(facts, said);
//   locks.process_died(obituary);
//
// Threading: one. Failure: as LockTable; usage_error for a name that is none.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "machine/locks/lock_table.hpp"
#include "machine/notices/home_lock_notices.hpp"
#include "octavo/machine/address.hpp"

namespace octavo {

class HomeLockTable {
 public:
  using Decided = std::function<void(lock_outcome outcome, const Obituary* died)>;
  HomeLockTable();
  void request(const ProcessFacts& who, const control::HomeLockRequest& request, Decided decided);
  void take(const ProcessFacts& who, const control::HomeLockSaid& said);
  void process_died(const Obituary& obituary);

 private:
  using Number = std::uint32_t;
  unsigned open(const control::HomeLock& lock);
  Number party(const ProcessFacts& who);
  void tell(const LockWaiter& waiter, lock_outcome outcome, const Obituary* died);

  Number next_ = 1;
  std::map<Address, Number> parties_;
  std::map<Number, Address> numbers_;
  std::map<std::pair<Number, std::uint64_t>, Decided> waiting_;  // by ticket
  LockTable table_;
};

}  // namespace octavo
