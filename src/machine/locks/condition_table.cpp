// SPDX-License-Identifier: Apache-2.0
#include "machine/locks/condition_table.hpp"

#include "octavo/base/error.hpp"

namespace octavo {

void ConditionTable::request(const LockCall& call, LockWaiter waiter) {
  auto& queue = conditions_[call.number];
  if (queue.size() >= most_lock_waiters) throw refused("more than " + std::to_string(most_lock_waiters) + " wait at one condition");
  if (!mutexes_.is_held_by(call.mutex, waiter.slot, waiter.thread)) throw usage_error("waiting at a condition without holding the mutex", "Lock it first");
  waiter.condition = call.number;
  waiter.mutex = call.mutex;
  queue.push_back(waiter);
  mutexes_.unlock(call.mutex);
}

void ConditionTable::release(unsigned number, std::uint64_t /*object*/, std::uint64_t how_many) {
  for (auto& queue = conditions_[number]; how_many != 0 && !queue.empty(); --how_many) mutexes_.lock_again(take_first(queue));
}

void ConditionTable::give_up(unsigned number, std::uint64_t object, std::uint64_t request) {
  auto late = take_out(conditions_[number], object, request, number);
  if (!late) return;
  late->timed_out = true;
  mutexes_.lock_again(*late);
}

void ConditionTable::reap(std::uint64_t object, std::span<const LockWaiter> waited) {
  for (auto& queue : conditions_) std::erase_if(queue, [&](const LockWaiter& each) { return each.object == object; });
  for (const auto& each : waited)
    if (each.condition && !each.timed_out) release(*each.condition, object, 1);
}

}  // namespace octavo
