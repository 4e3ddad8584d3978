// SPDX-License-Identifier: Apache-2.0
#include "machine/locks/mutex_table.hpp"

#include "octavo/base/error.hpp"

namespace octavo {

using namespace lock_word;

// Once the word says contended only the agent changes its owner: a holder takes itself out and tells the agent, a thread that comes finds the mutex not free.
// A waiter is told only after the word says what it is told.
void MutexTable::settle(unsigned number) {
  auto& mutex = mutexes_[number];
  auto& word = words_[number];
  const auto before = word.fetch_or(contended, std::memory_order_acq_rel);
  if (is_held(before)) {
    if (is_alive_(slot_in(before))) return;
    mutex.abandoned.emplace();  // by whom is not known
  }
  auto& queue = mutex.queue;
  if (queue.empty()) return word.store(mutex.abandoned ? abandoned : free, std::memory_order_release);
  const auto died = std::exchange(mutex.abandoned, std::nullopt);
  std::optional<LockWaiter> told_of_death;
  if (died) told_of_death = take_first(queue);
  if (queue.empty()) {
    word.store(free, std::memory_order_release);
  } else {
    const auto next = take_first(queue);
    word.store(of(next.slot, next.thread) | (queue.empty() ? 0 : contended), std::memory_order_release);
    tell_(next, next.timed_out ? lock_outcome::timed_out : lock_outcome::held, nullptr);
  }
  if (told_of_death) tell_(*told_of_death, lock_outcome::abandoned, died->facts.address ? &*died : nullptr);
}

void MutexTable::add(std::int64_t /*initial*/) {
  words_[static_cast<unsigned>(mutexes_.size())].store(free, std::memory_order_release);
  mutexes_.emplace_back();
}

void MutexTable::request(const LockCall& call, const LockWaiter& waiter) {
  auto& queue = mutexes_[call.number].queue;
  if (queue.size() >= most_lock_waiters) throw refused("more than " + std::to_string(most_lock_waiters) + " wait for one mutex");
  queue.push_back(waiter);
  settle(call.number);
  if (call.at_once) give_up(call.number, waiter.object, waiter.request);
}

void MutexTable::lock_again(const LockWaiter& waiter) {
  mutexes_[waiter.mutex].queue.push_back(waiter);
  settle(waiter.mutex);
}

void MutexTable::unlock(unsigned number) {
  words_[number].store(contended, std::memory_order_release);
  settle(number);
}

bool MutexTable::is_held_by(unsigned number, unsigned slot, std::uint32_t thread) const {
  return (words_[number].load(std::memory_order_acquire) & holder_bits) == of(slot, thread);
}

void MutexTable::give_up(unsigned number, std::uint64_t object, std::uint64_t request) {
  if (const auto waiter = take_out(mutexes_[number].queue, object, request)) tell_(*waiter, lock_outcome::gave_up, nullptr);
}

std::vector<LockWaiter> MutexTable::reap(unsigned slot, std::uint64_t object, const Obituary& obituary) {
  std::vector<LockWaiter> waited;
  for (unsigned number = 0; number < mutexes_.size(); ++number) {
    auto& mutex = mutexes_[number];
    std::erase_if(mutex.queue, [&](const LockWaiter& each) {
      if (each.object == object) waited.push_back(each);
      return each.object == object;
    });
    auto& word = words_[number];
    const auto before = word.load(std::memory_order_acquire);
    if (slot_in(before) == slot) {
      mutex.abandoned = obituary;
      word.store(contended, std::memory_order_release);
    } else if ((before & contended) == 0) {
      continue;
    }
    settle(number);  // also where the dead process had taken itself out of the word, and could not tell the agent
  }
  return waited;
}

}  // namespace octavo
