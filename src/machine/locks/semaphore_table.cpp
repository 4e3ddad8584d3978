// SPDX-License-Identifier: Apache-2.0
#include "machine/locks/semaphore_table.hpp"

#include "octavo/base/error.hpp"

namespace octavo {

void SemaphoreTable::add(std::int64_t initial) {
  auto& made = semaphores_.emplace_back();
  made.initial = made.units = initial;
}

void SemaphoreTable::settle(Semaphore& semaphore) {
  while (!semaphore.queue.empty() && (semaphore.abandoned || semaphore.units > 0)) {
    const auto next = take_first(semaphore.queue);
    if (const auto died = std::exchange(semaphore.abandoned, std::nullopt)) {
      tell_(next, lock_outcome::abandoned, &*died);
      continue;
    }
    --semaphore.units;
    ++semaphore.taken[next.object];
    tell_(next, lock_outcome::held, nullptr);
  }
}

void SemaphoreTable::request(const LockCall& call, const LockWaiter& waiter) {
  auto& semaphore = semaphores_[call.number];
  if (semaphore.queue.size() >= most_lock_waiters) throw refused("more than " + std::to_string(most_lock_waiters) + " wait for one semaphore");
  semaphore.queue.push_back(waiter);
  settle(semaphore);
  if (call.at_once) give_up(call.number, waiter.object, waiter.request);
}

void SemaphoreTable::release(unsigned number, std::uint64_t object, std::uint64_t units) {
  auto& semaphore = semaphores_[number];
  const auto more = static_cast<std::int64_t>(std::min<std::uint64_t>(units, most_units));
  auto& taken = semaphore.taken[object];
  taken = std::max(taken - more, -most_units);
  semaphore.units = std::min(semaphore.units + more, most_units);
  settle(semaphore);
}

void SemaphoreTable::give_up(unsigned number, std::uint64_t object, std::uint64_t request) {
  if (const auto waiter = take_out(semaphores_[number].queue, object, request)) tell_(*waiter, lock_outcome::gave_up, nullptr);
}

void SemaphoreTable::reap(std::uint64_t object, const Obituary& obituary) {
  for (auto& semaphore : semaphores_) {
    std::erase_if(semaphore.queue, [&](const LockWaiter& each) { return each.object == object; });
    auto found = semaphore.taken.find(object);
    if (found == semaphore.taken.end()) continue;
    const auto taken = found->second;
    semaphore.taken.erase(found);
    if (taken <= 0 || obituary.destroyed || obituary.resting) continue;
    semaphore.units = std::min(semaphore.units + taken, most_units);
    semaphore.abandoned = obituary;
    settle(semaphore);
  }
}

}  // namespace octavo
