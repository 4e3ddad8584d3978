// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/barrier.hpp"

#include "machine/locks/barrier_table.hpp"
#include "process/locks/lock.hpp"

namespace octavo {

OCTAVO_ERROR(octavo::broken_barrier)

namespace {

std::uint64_t look_at(const detail::Lock& lock) { return lock.tell(lock_verb::look, detail::forever()).value; }

[[noreturn]] void raise_broken(const std::string& name, const std::string& why) {
  throw broken_barrier("barrier '" + name + "' is broken: " + why, "Call reset() when all know, or make one of another name");
}

std::size_t place_told(const std::string& name, const detail::Lock::Told& told) {
  if (told.outcome == lock_outcome::passed) return told.value;
  if (told.outcome == lock_outcome::gave_up) raise_broken(name, "this thread has waited as long as it was to, and not all came");
  if (told.died) raise_broken(name, told.died->text());
  raise_broken(name, "one that waited was out of time, or called away; its action failed; or abort() or reset() was called");
}

}  // namespace

Barrier::Barrier() noexcept : NamedLock(lock_kind::barrier) {}
Barrier::Barrier(std::string name, std::size_t parties, std::function<void()> action)
    : NamedLock(lock_kind::barrier, std::move(name), static_cast<std::int64_t>(parties)), action_(std::move(action)) {}

std::optional<std::size_t> Barrier::come(std::chrono::steady_clock::time_point deadline, bool has_action, void (*look)()) const {
  const auto told = lock_of().tell(has_action ? lock_verb::act : lock_verb::take, deadline, look);
  if (told.outcome == lock_outcome::told) return std::nullopt;
  return place_told(name(), told);
}

std::size_t Barrier::has_acted() const { return place_told(name(), lock_of().tell(lock_verb::done, detail::forever())); }

std::size_t Barrier::wait_by(std::chrono::steady_clock::time_point deadline) const {
  if (const auto place = come(deadline, static_cast<bool>(action_), nullptr)) return *place;
  try {
    action_();
  } catch (...) {
    abort();
    throw;
  }
  return has_acted();
}

void Barrier::reset() const { lock_of().tell(lock_verb::clear, detail::forever()); }
void Barrier::abort() const { lock_of().tell(lock_verb::set, detail::forever()); }
std::size_t Barrier::n_waiting() const { return look_at(lock_of()) & (BarrierTable::is_broken - 1); }
bool Barrier::broken() const { return (look_at(lock_of()) & BarrierTable::is_broken) != 0; }

}  // namespace octavo
