// SPDX-License-Identifier: Apache-2.0
// The mutexes of a machine, as its agent knows them: the queue of each. Its holder is what its word says (lock_words.hpp); a word that says what cannot be is
// taken for that of a holder that died.
// Threading: one. A number is below that of add() so far.
#pragma once

#include <vector>

#include "machine/locks/lock_waiter.hpp"
#include "machine/locks/lock_words.hpp"

namespace octavo {

class MutexTable {
 public:
  using IsAlive = std::function<bool(std::uint64_t slot)>;
  MutexTable(const LockWords& words, TellWaiter tell, IsAlive is_alive) : words_(words), tell_(std::move(tell)), is_alive_(std::move(is_alive)) {}

  void add(std::int64_t initial);
  // Throws refused.
  void request(const LockCall& call, const LockWaiter& waiter);
  // Queues a thread for the mutex it gave up at a condition.
  void lock_again(const LockWaiter& waiter);
  // A holder says that it took itself out of the word: if that is so, the next waiter has the mutex.
  void release(unsigned number, std::uint64_t /*object*/, std::uint64_t /*how_many*/) { settle(number); }
  // For a holder that waits at a condition, or does not see the word.
  void unlock(unsigned number);
  [[nodiscard]] bool is_held_by(unsigned number, unsigned slot, std::uint32_t thread) const;
  // A waiter that has not been granted the mutex, and need not have it, is told lock_outcome::gave_up.
  void give_up(unsigned number, std::uint64_t object, std::uint64_t request);
  // What a dead process held goes on: the next waiter is told lock_outcome::abandoned, the one after it has the mutex. Gives the waiters of the dead object.
  std::vector<LockWaiter> reap(unsigned slot, std::uint64_t object, const Obituary& obituary);

 private:
  struct Mutex {
    LockQueue queue;
    std::optional<Obituary> abandoned;  // of the holder whose death the next waiter is to be told
  };
  void settle(unsigned number);

  const LockWords& words_;
  TellWaiter tell_;
  IsAlive is_alive_;
  std::vector<Mutex> mutexes_;
};

}  // namespace octavo
