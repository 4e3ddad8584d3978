// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/condition.hpp"

#include "octavo/base/error.hpp"
#include "process/locks/lock.hpp"

namespace octavo {

Condition::Condition(std::string name) : name_(std::move(name)) { open(); }

void Condition::open() { lock_ = detail::Lock::open(lock_kind::condition, name_); }

void Condition::raise_nameless() { throw usage_error("a condition without a name was used", "Give it one: octavo::Condition condition(\"name\")"); }

void Condition::notify(std::uint64_t how_many) const { opened().release(how_many); }

std::cv_status Condition::wait_until_time(std::unique_lock<Mutex>& lock, std::chrono::steady_clock::time_point deadline) const {
  const auto& condition = opened();
  auto* mutex = lock.mutex();
  if (!lock.owns_lock() || mutex == nullptr) throw usage_error("waiting at condition '" + name_ + "' without holding the mutex", "Lock it first");
  const auto& held = mutex->opened();
  const detail::WaitsFor waits(held);
  lock.release();  // the agent gives it up
  lock_outcome outcome{};
  try {
    outcome = condition.request({.mutex = &held}, deadline);
  } catch (const error& e) {
    if (e.kind() == error_kind::usage || e.kind() == error_kind::refused) lock = std::unique_lock(*mutex, std::adopt_lock);
    throw;
  }
  lock = std::unique_lock(*mutex, std::adopt_lock);
  return outcome == lock_outcome::timed_out ? std::cv_status::timeout : std::cv_status::no_timeout;
}

}  // namespace octavo
