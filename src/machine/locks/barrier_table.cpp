// SPDX-License-Identifier: Apache-2.0
#include "machine/locks/barrier_table.hpp"

#include <utility>

namespace octavo {

void BarrierTable::send_home(Barrier& barrier) {
  for (const auto& each : std::exchange(barrier.queue, {})) tell_broken(barrier, each);
}

void BarrierTable::come(Barrier& barrier, const LockWaiter& waiter) {
  if (barrier.broken) return tell_broken(barrier, waiter);
  barrier.queue.push_back(waiter);
  if (static_cast<std::int64_t>(barrier.queue.size()) < barrier.parties) return;
  std::uint64_t place = 0;
  for (auto& each : std::exchange(barrier.queue, {})) {
    LockWaiter gone = each;
    gone.value = place++;
    tell_(gone, lock_outcome::passed, nullptr);
  }
}

void BarrierTable::request(const LockCall& call, LockWaiter waiter) {
  auto& barrier = barriers_[call.number];
  if (call.verb == lock_verb::take) return come(barrier, waiter);
  if (call.verb != lock_verb::look) {
    barrier.broken = call.verb == lock_verb::set;
    barrier.died.reset();
    send_home(barrier);
  }
  waiter.value = barrier.queue.size() | (barrier.broken ? is_broken : 0);
  tell_(waiter, lock_outcome::told, nullptr);
}

void BarrierTable::give_up(unsigned number, std::uint64_t object, std::uint64_t request) {
  auto& barrier = barriers_[number];
  const auto waiter = take_out(barrier.queue, object, request);
  if (!waiter) return;
  barrier.broken = true;
  tell_(*waiter, lock_outcome::gave_up, nullptr);
  send_home(barrier);
}

void BarrierTable::reap(std::uint64_t object, const Obituary& obituary) {
  for (auto& barrier : barriers_) {
    if (std::erase_if(barrier.queue, [&](const LockWaiter& each) { return each.object == object; }) == 0) continue;
    barrier.broken = true;
    barrier.died = obituary;
    send_home(barrier);
  }
}

}  // namespace octavo
