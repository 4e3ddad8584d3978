// SPDX-License-Identifier: Apache-2.0
// The events of a machine, as its agent knows them: whether each is set, and which threads wait until it is.
// Threading: one. A number is below that of add() so far.
#pragma once

#include <vector>

#include "machine/locks/lock_waiter.hpp"

namespace octavo {

class EventTable {
 public:
  explicit EventTable(TellWaiter tell) : tell_(std::move(tell)) {}

  void add(std::int64_t /*initial*/) { events_.emplace_back(); }
  // To wait is told lock_outcome::held; all else lock_outcome::told, with whether it was set before. Throws refused.
  void request(const LockCall& call, LockWaiter waiter);
  void release(unsigned /*number*/, std::uint64_t /*object*/, std::uint64_t /*how_many*/) {}  // nobody has anything of an event
  void give_up(unsigned number, std::uint64_t object, std::uint64_t request);
  void reap(std::uint64_t object);

 private:
  struct Event {
    bool is_set = false;
    LockQueue queue;
  };
  void set(Event& event);

  TellWaiter tell_;
  std::vector<Event> events_;
};

}  // namespace octavo
