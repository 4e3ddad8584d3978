// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/mutex.hpp"

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/poll_budget.hpp"
#include "process/locks/lock.hpp"

namespace octavo {

using namespace lock_word;

namespace {

// A contended mutex does not become free while others wait: the agent hands it on.
bool take_soon(LockWords::Word& word, std::uint64_t mine) {
  for (int spin = 0; spin < PollBudget::mutex.usual; ++spin) {
    auto seen = word.load(std::memory_order_relaxed);
    if (seen == free && word.compare_exchange_strong(seen, mine, std::memory_order_acquire)) return true;
    if ((seen & contended) != 0) return false;
    __builtin_ia32_pause();
  }
  return false;
}

[[noreturn]] void raise_held(const std::string& name) {
  throw usage_error("mutex '" + name + "' is locked by a thread that has it already, or waits for it in a call that this one descends from",
                    "Unlock it before: it is not recursive");
}

// What the word says when this thread holds the mutex.
std::uint64_t mine_of(const detail::Lock& lock) {
  const auto& thread = detail::this_thread();
  lock.check_here();
  if (thread.waits_for(lock.word())) raise_held(lock.name());
  return lock.mine(thread);
}

// The lasting agent is asked in any case: the word tells of this process only.
bool lock_of_home(const detail::Lock& lock, std::uint64_t mine, const detail::Lock::RequestOptions& options, road::Deadline deadline) {
  if (lock.word().load(std::memory_order_relaxed) == mine) raise_held(lock.name());
  const detail::WaitsFor waits(lock);
  return lock.request(options, deadline) == lock_outcome::held;
}

}  // namespace

Mutex::Mutex() noexcept : NamedLock(lock_kind::mutex) {}
Mutex::Mutex(std::string name) : NamedLock(lock_kind::mutex, std::move(name)) {}

bool Mutex::lock_until(std::chrono::steady_clock::time_point deadline) const {
  const auto& lock = lock_of();
  auto& word = lock.word();
  const auto mine = mine_of(lock);
  if (lock.of_home()) return lock_of_home(lock, mine, {}, deadline);
  auto seen = free;
  if (word.compare_exchange_strong(seen, mine, std::memory_order_acquire)) return true;
  if ((seen & holder_bits) == mine) raise_held(name());
  delay_point("mutex: held by another");
  if (take_soon(word, mine)) return true;
  const detail::WaitsFor waits(lock);
  delay_point("mutex: about to request it");
  return lock.request({}, deadline) == lock_outcome::held;
}

bool Mutex::try_lock() const {
  const auto& lock = lock_of();
  const auto mine = mine_of(lock);
  if (lock.of_home()) return lock_of_home(lock, mine, {.at_once = true}, detail::forever());
  auto seen = free;
  if (lock.word().compare_exchange_strong(seen, mine, std::memory_order_acquire)) return true;
  if ((seen & holder_bits) == mine) raise_held(name());
  const bool is_being_handed_on = (seen & holder_bits) == 0;
  return (seen == abandoned || is_being_handed_on) && lock.request({.at_once = true}, detail::forever()) == lock_outcome::held;
}

bool Mutex::locked() const {
  const auto& lock = lock_of();
  lock.check_here();
  if (lock.of_home())  // the word tells of this process only
    throw not_supported("whether mutex '" + name() + "' is locked was asked, and one of the home does not say so",
                        "Use try_lock(); in Python acquire(blocking=False)");
  const auto seen = lock.word().load(std::memory_order_relaxed);
  return seen != free && seen != abandoned;
}

// Without check_here(): a mutex can be unlocked when its Runtime has ended.
void Mutex::unlock() const {
  const auto& lock = lock_of();
  if (lock.unlock()) return;
  lock.check_process();
  throw usage_error("mutex '" + name() + "' is unlocked by a thread that does not have it", "Let the thread that locked it do so");
}

}  // namespace octavo
