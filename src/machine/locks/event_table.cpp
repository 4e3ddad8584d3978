// SPDX-License-Identifier: Apache-2.0
#include "machine/locks/event_table.hpp"

#include <utility>

#include "octavo/base/error.hpp"

namespace octavo {

void EventTable::set(Event& event) {
  event.is_set = true;
  for (const auto& each : std::exchange(event.queue, {})) tell_(each, lock_outcome::held, nullptr);
}

void EventTable::request(const LockCall& call, LockWaiter waiter) {
  auto& event = events_[call.number];
  if (call.verb == lock_verb::take) {
    if (event.is_set) return tell_(waiter, lock_outcome::held, nullptr);
    if (call.at_once) return tell_(waiter, lock_outcome::gave_up, nullptr);
    if (event.queue.size() >= most_lock_waiters) throw refused("more than " + std::to_string(most_lock_waiters) + " wait for one event");
    event.queue.push_back(waiter);
    return;
  }
  waiter.value = event.is_set ? 1 : 0;
  if (call.verb == lock_verb::set) set(event);
  if (call.verb == lock_verb::clear) event.is_set = false;
  tell_(waiter, lock_outcome::told, nullptr);
}

void EventTable::give_up(unsigned number, std::uint64_t object, std::uint64_t request) {
  if (const auto waiter = take_out(events_[number].queue, object, request)) tell_(*waiter, lock_outcome::gave_up, nullptr);
}

void EventTable::reap(std::uint64_t object) {
  for (auto& event : events_) std::erase_if(event.queue, [&](const LockWaiter& each) { return each.object == object; });
}

}  // namespace octavo
