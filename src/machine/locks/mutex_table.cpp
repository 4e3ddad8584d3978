// SPDX-License-Identifier: Apache-2.0
#include "machine/locks/mutex_table.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"

namespace octavo {

using namespace lock_word;

namespace {

LockWaiter take_first(std::deque<LockWaiter>& queue) {
  LockWaiter first = std::move(queue.front());
  queue.pop_front();
  return first;
}

}  // namespace

// Once the word says contended it is ours: holders ask us to go on, and who comes finds it not free. Each is told when the word says what he hears.
void MutexTable::settle(unsigned number, Mutex& mutex) {
  auto& word = words_[number];
  const auto before = word.fetch_or(contended, std::memory_order_acq_rel);
  if (is_held(before)) {
    if (is_alive_(slot_in(before))) return;
    mutex.abandoned.emplace();  // by whom is not known
  }
  auto& queue = mutex.queue;
  if (queue.empty()) return word.store(mutex.abandoned ? abandoned : free, std::memory_order_release);
  std::optional<LockWaiter> hears;
  const auto died = std::exchange(mutex.abandoned, {});
  if (died) hears = take_first(queue);
  if (queue.empty()) {
    word.store(free, std::memory_order_release);
  } else {
    const auto next = take_first(queue);
    word.store(of(next.slot, next.thread) | (queue.empty() ? 0 : contended), std::memory_order_release);
    tell_(next, next.timed_out ? lock_outcome::timed_out : lock_outcome::held, nullptr);
  }
  if (hears) tell_(*hears, lock_outcome::abandoned, died->facts.address ? &*died : nullptr);
}

unsigned MutexTable::make() {
  const auto number = static_cast<unsigned>(mutexes_.size());
  words_[number].store(free, std::memory_order_release);
  mutexes_.emplace_back();
  return number;
}

void MutexTable::lock(unsigned number, const LockWaiter& who, bool at_once) {
  auto& mutex = mutexes_[number];
  if (mutex.queue.size() >= most_lock_waiters && !who.condition) throw refused("more than " + std::to_string(most_lock_waiters) + " wait for one mutex");
  mutex.queue.push_back(who);
  settle(number, mutex);
  if (at_once) give_up(number, who.object, who.request);
}

void MutexTable::unlock(unsigned number) {
  words_[number].store(contended, std::memory_order_release);
  go_on(number);
}

bool MutexTable::is_held_by(unsigned number, unsigned slot, std::uint32_t thread) const {
  return (words_[number].load(std::memory_order_acquire) & holder_bits) == of(slot, thread);
}

bool MutexTable::give_up(unsigned number, std::uint64_t object, std::uint64_t request) {
  auto& queue = mutexes_[number].queue;
  auto is_he = [&](const LockWaiter& each) { return each.object == object && each.request == request && !each.condition; };
  auto found = std::find_if(queue.begin(), queue.end(), is_he);
  if (found == queue.end()) return false;
  const LockWaiter who = std::move(*found);
  queue.erase(found);
  tell_(who, lock_outcome::gave_up, nullptr);
  return true;
}

std::vector<LockWaiter> MutexTable::bury(unsigned slot, std::uint64_t object, const Obituary& obituary) {
  std::vector<LockWaiter> waited;
  for (unsigned number = 0; number < mutexes_.size(); ++number) {
    auto& mutex = mutexes_[number];
    std::erase_if(mutex.queue, [&](const LockWaiter& each) {
      if (each.object == object) waited.push_back(each);
      return each.object == object;
    });
    auto& word = words_[number];
    const auto before = word.load(std::memory_order_acquire);
    if (lock_word::is_held_by(before, slot)) {
      mutex.abandoned = obituary;
      word.store(contended, std::memory_order_release);
    } else if ((before & contended) == 0) {
      continue;
    }
    settle(number, mutex);  // also of one that it had left, and could not tell us
  }
  return waited;
}

}  // namespace octavo
