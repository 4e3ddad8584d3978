// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/condition.hpp"

#include "octavo/base/error.hpp"
#include "process/locks/lock.hpp"

namespace octavo {

Condition::Condition() noexcept : NamedLock(lock_kind::condition) {}
Condition::Condition(std::string name) : NamedLock(lock_kind::condition, std::move(name)) {}

void Condition::notify(std::uint64_t how_many) const { lock_of().release(how_many); }

std::cv_status Condition::wait_until_time(std::unique_lock<Mutex>& lock, std::chrono::steady_clock::time_point deadline) const {
  const auto& condition = lock_of();
  auto* mutex = lock.mutex();
  if (!lock.owns_lock() || mutex == nullptr) throw usage_error("waiting at condition '" + name() + "' without holding the mutex", "Lock it first");
  const auto& held = mutex->lock_of();
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
