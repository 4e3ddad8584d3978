// SPDX-License-Identifier: Apache-2.0
// The barriers of a machine, as its agent knows them: who waits at each, and whether it is broken, and by whose death.
// Threading: one. A number is below that of add() so far.
#pragma once

#include <vector>

#include "machine/locks/lock_waiter.hpp"

namespace octavo {

class BarrierTable {
 public:
  explicit BarrierTable(TellWaiter tell) : tell_(std::move(tell)) {}

  static constexpr std::uint64_t is_broken = std::uint64_t{1} << 32;  // of what look is told, beside the number of those that wait

  void add(std::int64_t parties) { barriers_.emplace_back().parties = parties; }
  [[nodiscard]] std::int64_t parties(unsigned number) const { return barriers_[number].parties; }
  // The last to come lets all go: each is told lock_outcome::passed and its place. `set` breaks it, `clear` mends it, and each waiting thread is told
  // lock_outcome::broken.
  void request(const LockCall& call, LockWaiter waiter);
  void release(unsigned /*number*/, std::uint64_t /*object*/, std::uint64_t /*how_many*/) {}  // nobody has anything of a barrier
  // Who waits no longer breaks it, for the others would wait for it.
  void give_up(unsigned number, std::uint64_t object, std::uint64_t request);
  void reap(std::uint64_t object, const Obituary& obituary);

 private:
  struct Barrier {
    std::int64_t parties = 0;
    LockQueue queue;
    bool broken = false;
    std::optional<Obituary> died;
  };
  void come(Barrier& barrier, const LockWaiter& waiter);
  void tell_broken(const Barrier& barrier, const LockWaiter& waiter) { tell_(waiter, lock_outcome::broken, barrier.died ? &*barrier.died : nullptr); }
  void send_home(Barrier& barrier);

  TellWaiter tell_;
  std::vector<Barrier> barriers_;
};

}  // namespace octavo
