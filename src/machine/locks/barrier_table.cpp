// SPDX-License-Identifier: Apache-2.0
#include "machine/locks/barrier_table.hpp"

#include <utility>

#include "octavo/base/error.hpp"

namespace octavo {

void BarrierTable::send_home(Barrier& barrier) {
  barrier.acting.reset();
  for (const auto& each : std::exchange(barrier.queue, {}))
    if (each.request != 0) tell_broken(barrier, each);  // the thread that acts is told once it has done so
}

void BarrierTable::come(Barrier& barrier, const LockWaiter& waiter) {
  if (barrier.broken) return tell_broken(barrier, waiter);
  barrier.queue.push_back(waiter);
  if (barrier.acting || static_cast<std::int64_t>(barrier.queue.size()) < barrier.parties) return;
  auto last = std::find_if(barrier.queue.rbegin(), barrier.queue.rend(), [](const LockWaiter& each) { return each.value != 0; });
  if (last == barrier.queue.rend()) return let_go(barrier);
  act(barrier, *last);
}

void BarrierTable::act(Barrier& barrier, LockWaiter& waiter) {
  barrier.acting = waiter;
  tell_(waiter, lock_outcome::told, nullptr);
  waiter.request = 0;
}

void BarrierTable::has_acted(Barrier& barrier, const LockWaiter& waiter) {
  if (!barrier.acting || barrier.acting->object != waiter.object || barrier.acting->thread != waiter.thread) return tell_broken(barrier, waiter);
  std::find_if(barrier.queue.begin(), barrier.queue.end(), [](const LockWaiter& each) { return each.request == 0; })->request = waiter.request;
  barrier.acting.reset();
  let_go(barrier);
}

void BarrierTable::let_go(Barrier& barrier) {
  for (std::int64_t place = 0; place < barrier.parties; ++place) {
    LockWaiter gone = take_first(barrier.queue);
    gone.value = static_cast<std::uint64_t>(place);
    tell_(gone, lock_outcome::passed, nullptr);
  }
  for (const auto& each : std::exchange(barrier.queue, {})) come(barrier, each);  // while one acted
}

void BarrierTable::request(const LockCall& call, LockWaiter waiter) {
  auto& barrier = barriers_[call.number];
  waiter.value = call.verb == lock_verb::act ? 1 : 0;
  if (call.verb == lock_verb::take || call.verb == lock_verb::act) {
    if (barrier.queue.size() >= most_lock_waiters) throw refused("more than " + std::to_string(most_lock_waiters) + " wait at one barrier");
    return come(barrier, waiter);
  }
  if (call.verb == lock_verb::done) return has_acted(barrier, waiter);
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
  const bool by_accident = !obituary.destroyed && !obituary.resting;
  for (auto& barrier : barriers_) {
    const bool used_it = barrier.users.erase(object) != 0;
    const bool waited = std::erase_if(barrier.queue, [&](const LockWaiter& each) { return each.object == object; }) != 0;
    if (barrier.broken || (!waited && !(used_it && by_accident))) continue;
    barrier.broken = true;
    barrier.died = obituary;
    send_home(barrier);
  }
}

}  // namespace octavo
