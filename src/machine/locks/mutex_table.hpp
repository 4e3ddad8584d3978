// SPDX-License-Identifier: Apache-2.0
// The mutexes of a machine, as its agent knows them: who waits for them. Who holds one its word says.
//
//   MutexTable mutexes(words, tell, is_alive);
//   unsigned number = mutexes.make();
//   mutexes.lock(number, who, false);            // he is told when he has it; who comes first has it first
//   mutexes.go_on(number);                       // who had it is not in its word any more: the next one has it now
//   mutexes.bury(slot, object, obituary);        // what he held goes on: the next one hears of it and has it not, the one after him has it
//
// Threading: one. A number is one that make() gave. Failure: refused, of what is beyond a bound. A word that says what cannot be is taken as one whose holder
// died.
#pragma once

#include <deque>
#include <vector>

#include "machine/locks/lock_waiter.hpp"
#include "machine/locks/lock_words.hpp"

namespace octavo {

class MutexTable {
 public:
  using IsAlive = std::function<bool(std::uint64_t slot)>;
  MutexTable(const LockWords& words, TellWaiter tell, IsAlive is_alive) : words_(words), tell_(std::move(tell)), is_alive_(std::move(is_alive)) {}

  // One more: gives its number.
  unsigned make();
  void lock(unsigned number, const LockWaiter& who, bool at_once);
  // If nobody has it, the next one does.
  void go_on(unsigned number) { settle(number, mutexes_[number]); }
  // For one who has it, and waits at a condition.
  void unlock(unsigned number);
  [[nodiscard]] bool is_held_by(unsigned number, unsigned slot, std::uint32_t thread) const;
  // He waits no longer, and is told so. False if he does not wait here, or must have it.
  bool give_up(unsigned number, std::uint64_t object, std::uint64_t request);
  // Gives who of the dead one's threads waited here.
  std::vector<LockWaiter> bury(unsigned slot, std::uint64_t object, const Obituary& obituary);

 private:
  struct Mutex {
    std::deque<LockWaiter> queue;
    std::optional<Obituary> abandoned;  // of whom the next one is to hear
  };
  void settle(unsigned number, Mutex& mutex);

  const LockWords& words_;
  TellWaiter tell_;
  IsAlive is_alive_;
  std::vector<Mutex> mutexes_;
};

}  // namespace octavo
