// SPDX-License-Identifier: Apache-2.0
// Who wants a lock of his machine's agent, and what he hears.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "octavo/machine/address.hpp"

namespace octavo {

enum class lock_kind : std::uint8_t { mutex, semaphore, condition };
inline std::string to_string(lock_kind kind) { return kind == lock_kind::mutex ? "mutex" : kind == lock_kind::semaphore ? "semaphore" : "condition"; }
// Of names in each kind. A name stays until the agent ends.
inline constexpr unsigned most_locks = 4096;
inline constexpr std::size_t longest_lock_name = 255;
inline constexpr std::size_t most_lock_waiters = 4096;             // at one of them
inline constexpr std::int64_t most_units = std::int64_t{1} << 31;  // of a semaphore

enum class lock_outcome : std::uint8_t {
  held,       // he has the mutex, or a unit
  timed_out,  // he has the mutex again, but was not notified in his time
  gave_up,    // he has nothing: it was to be at once, or he gave up waiting
  abandoned   // he has nothing: its last holder died with it. Heard once; the next one may have it
};

struct LockWaiter {
  std::uint64_t object = 0;  // of this agent
  unsigned slot = 0;
  std::uint32_t thread = 0;
  std::uint64_t request = 0;
  // Of one who waits at a condition, or did and takes his mutex again: he cannot give that up.
  std::optional<unsigned> condition = {};
  bool timed_out = false;
};

// `died`: who held it; of lock_outcome::abandoned, and null if that is not known.
using TellWaiter = std::function<void(const LockWaiter& who, lock_outcome outcome, const Obituary* died)>;

}  // namespace octavo
