// SPDX-License-Identifier: Apache-2.0
#include "machine/locks/condition_table.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"

namespace octavo {

unsigned ConditionTable::make() {
  conditions_.emplace_back();
  return static_cast<unsigned>(conditions_.size() - 1);
}

void ConditionTable::wait(unsigned number, unsigned mutex, LockWaiter who) {
  auto& queue = conditions_[number];
  if (queue.size() >= most_lock_waiters) throw refused("more than " + std::to_string(most_lock_waiters) + " wait at one condition");
  if (!mutexes_.is_held_by(mutex, who.slot, who.thread)) throw usage_error("waiting at a condition without holding the mutex", "Lock it first");
  who.condition = number;
  queue.push_back({std::move(who), mutex});
  mutexes_.unlock(mutex);
}

void ConditionTable::notify(unsigned number, std::uint64_t how_many) {
  auto& queue = conditions_[number];
  for (; how_many != 0 && !queue.empty(); --how_many) {
    const Waiting next = std::move(queue.front());
    queue.pop_front();
    mutexes_.lock(next.mutex, next.who, false);
  }
}

bool ConditionTable::give_up(unsigned number, std::uint64_t object, std::uint64_t request) {
  auto& queue = conditions_[number];
  auto found = std::find_if(queue.begin(), queue.end(), [&](const Waiting& each) { return each.who.object == object && each.who.request == request; });
  if (found == queue.end()) return false;
  Waiting late = std::move(*found);
  queue.erase(found);
  late.who.timed_out = true;
  mutexes_.lock(late.mutex, late.who, false);
  return true;
}

void ConditionTable::bury(std::uint64_t object, std::span<const LockWaiter> waited) {
  for (auto& queue : conditions_) std::erase_if(queue, [&](const Waiting& each) { return each.who.object == object; });
  for (const auto& each : waited)
    if (each.condition && !each.timed_out) notify(*each.condition, 1);
}

}  // namespace octavo
