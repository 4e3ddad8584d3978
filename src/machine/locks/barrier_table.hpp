// SPDX-License-Identifier: Apache-2.0
// The barriers of a machine, as its agent knows them: who waits at each, and whether it is broken, and by whose death.
// Threading: one. A number is below that of add() so far.
#pragma once

#include <set>
#include <vector>

#include "machine/locks/lock_waiter.hpp"

namespace octavo {

class BarrierTable {
 public:
  explicit BarrierTable(TellWaiter tell) : tell_(std::move(tell)) {}

  static constexpr std::uint64_t is_broken = std::uint64_t{1} << 32;  // of what look is told, beside the number of those that wait

  void add(std::int64_t parties) { barriers_.emplace_back().parties = parties; }
  [[nodiscard]] std::int64_t parties(unsigned number) const { return barriers_[number].parties; }
  // It has the barrier, and may be who the others wait for.
  void take_in(unsigned number, std::uint64_t object) { barriers_[number].users.insert(object); }
  // The last to come lets all go: each is told lock_outcome::passed and its place. `set` breaks it, `clear` mends it, and each waiting thread is told
  // lock_outcome::broken. Where some have an action, the last of these is told lock_outcome::told, and all go when it says `done`.
  void request(const LockCall& call, LockWaiter waiter);
  void release(unsigned /*number*/, std::uint64_t /*object*/, std::uint64_t /*how_many*/) {}  // nobody has anything of a barrier
  // Who waits no longer breaks it, for the others would wait for it.
  void give_up(unsigned number, std::uint64_t object, std::uint64_t request);
  // One that has it breaks it by its death, wherever that was; one that is destroyed, or rests, only where it waited.
  void reap(std::uint64_t object, const Obituary& obituary);

 private:
  struct Barrier {
    std::int64_t parties = 0;
    LockQueue queue;                   // of these the value says whether they have an action
    std::optional<LockWaiter> acting;  // its place in the queue has no request meanwhile
    std::set<std::uint64_t> users;
    bool broken = false;
    std::optional<Obituary> died;
  };
  void come(Barrier& barrier, const LockWaiter& waiter);
  void act(Barrier& barrier, LockWaiter& waiter);
  void has_acted(Barrier& barrier, const LockWaiter& waiter);
  void let_go(Barrier& barrier);
  void tell_broken(const Barrier& barrier, const LockWaiter& waiter) { tell_(waiter, lock_outcome::broken, barrier.died ? &*barrier.died : nullptr); }
  void send_home(Barrier& barrier);

  TellWaiter tell_;
  std::vector<Barrier> barriers_;
};

}  // namespace octavo
