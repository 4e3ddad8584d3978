// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/semaphore.hpp"

#include "octavo/base/error.hpp"
#include "process/locks/lock.hpp"

namespace octavo {

static_assert(Semaphore::max() == most_units);

Semaphore::Semaphore(std::string name, std::ptrdiff_t initial) : name_(std::move(name)), initial_(initial) { open(); }

void Semaphore::open() { lock_ = detail::Lock::open(lock_kind::semaphore, name_, initial_); }

void Semaphore::raise_nameless() { throw usage_error("a semaphore without a name was used", "Give it one: octavo::Semaphore semaphore(\"name\", 1)"); }

bool Semaphore::acquire_until(std::chrono::steady_clock::time_point deadline) const { return opened().request({}, deadline) == lock_outcome::held; }

bool Semaphore::try_acquire() const { return opened().request({.at_once = true}, detail::forever()) == lock_outcome::held; }

void Semaphore::release(std::ptrdiff_t units) const {
  const auto& lock = opened();
  if (units < 0) throw usage_error("releasing " + std::to_string(units) + " units of semaphore '" + name_ + "'", "Release none, or more");
  lock.release(static_cast<std::uint64_t>(units));
}

}  // namespace octavo
