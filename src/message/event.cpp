// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/event.hpp"

#include "process/locks/lock.hpp"

namespace octavo {

Event::Event() noexcept : NamedLock(lock_kind::event) {}
Event::Event(std::string name) : NamedLock(lock_kind::event, std::move(name)) {}

void Event::set() const { lock_of().tell(lock_verb::set, detail::forever()); }
void Event::clear() const { lock_of().tell(lock_verb::clear, detail::forever()); }
bool Event::is_set() const { return lock_of().tell(lock_verb::look, detail::forever()).value != 0; }

bool Event::wait_by(std::chrono::steady_clock::time_point deadline) const { return lock_of().tell(lock_verb::take, deadline).outcome == lock_outcome::held; }

}  // namespace octavo
