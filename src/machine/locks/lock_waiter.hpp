// SPDX-License-Identifier: Apache-2.0
// A thread that wants a lock of its machine's agent, and what the agent answers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "octavo/machine/address.hpp"

namespace octavo {

enum class lock_kind : std::uint8_t { mutex, semaphore, condition, barrier, event };
inline constexpr std::size_t lock_kinds = 5;
std::string to_string(lock_kind kind);
// Of names in each kind. A name stays until the agent ends.
inline constexpr unsigned most_locks = 4096;
inline constexpr std::size_t longest_lock_name = 255;
inline constexpr std::size_t most_lock_waiters = 4096;             // at one of them
inline constexpr std::int64_t most_units = std::int64_t{1} << 31;  // of a semaphore

enum class lock_outcome : std::uint8_t {
  held,       // the waiter has the mutex, or a unit
  timed_out,  // the waiter has the mutex again, but was not notified before its deadline
  gave_up,    // the waiter has nothing: it was not to wait, or gave up waiting
  abandoned,  // the waiter has nothing: the last holder died with the lock. Told once; the next request may be granted
  passed,     // all have come to the barrier; with the waiter's place among them
  broken,     // the barrier is; with the obituary of the process that died there, if that is why
  told        // what was asked is done, or the answer to it
};

struct LockWaiter {
  std::uint64_t object = 0;  // of this agent
  unsigned slot = 0;
  std::uint32_t thread = 0;
  std::uint64_t request = 0;
  // Of a thread that waits at a condition, or was notified and queues for its mutex again: that it cannot give up.
  std::optional<unsigned> condition = {};
  unsigned mutex = 0;
  bool timed_out = false;
  std::uint64_t value = 0;  // of a waiter that is told something: what
};
using LockQueue = std::deque<LockWaiter>;  // first come, first served

inline std::optional<LockWaiter> take_out(LockQueue& queue, std::uint64_t object, std::uint64_t request, std::optional<unsigned> condition = {}) {
  auto is_it = [&](const LockWaiter& each) { return each.object == object && each.request == request && each.condition == condition; };
  auto found = std::find_if(queue.begin(), queue.end(), is_it);
  if (found == queue.end()) return std::nullopt;
  LockWaiter waiter = *found;
  queue.erase(found);
  return waiter;
}
inline LockWaiter take_first(LockQueue& queue) {
  const LockWaiter first = queue.front();
  queue.pop_front();
  return first;
}

// Of an event: to wait until it is set, or to look whether it is; to set or clear it. Of a barrier: to wait, to look how many do, to break it, or begin anew;
// to wait with an action, and that it is done.
enum class lock_verb : std::uint8_t { take, look, set, clear, act, done };
// What a thread wants of a lock: to have a mutex, or a unit; or to wait at a condition, giving up the mutex meanwhile.
struct LockCall {
  lock_kind kind = lock_kind::mutex;
  unsigned number = 0;
  bool at_once = false;              // or not at all
  unsigned mutex = 0;                // of a condition
  lock_verb verb = lock_verb::take;  // of an event or a barrier
};

// `died`: the last holder, for lock_outcome::abandoned; who died at a barrier that is broken; null if it is not known.
using TellWaiter = std::function<void(const LockWaiter& waiter, lock_outcome outcome, const Obituary* died)>;

}  // namespace octavo
