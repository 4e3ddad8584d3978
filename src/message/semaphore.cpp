// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/semaphore.hpp"

#include "octavo/base/error.hpp"
#include "process/locks/lock.hpp"

namespace octavo {

static_assert(Semaphore::max() == most_units);

Semaphore::Semaphore() noexcept : NamedLock(lock_kind::semaphore) {}
Semaphore::Semaphore(std::string name, std::ptrdiff_t initial) : NamedLock(lock_kind::semaphore, std::move(name), initial) {}

bool Semaphore::acquire_until(std::chrono::steady_clock::time_point deadline) const { return lock_of().request({}, deadline) == lock_outcome::held; }

bool Semaphore::try_acquire() const { return lock_of().request({.at_once = true}, detail::forever()) == lock_outcome::held; }

void Semaphore::release(std::ptrdiff_t units) const {
  const auto& lock = lock_of();
  if (units < 0) throw usage_error("releasing " + std::to_string(units) + " units of semaphore '" + name() + "'", "Release none, or more");
  lock.release(static_cast<std::uint64_t>(units));
}

}  // namespace octavo
