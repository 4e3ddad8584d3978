// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other of locks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "machine/locks/lock_table.hpp"
#include "octavo/machine/address.hpp"

namespace octavo::control {

// Process to agent: which number this lock has on this machine. Answered LockAt.
struct OpenLock {
  std::uint64_t request = 0;
  lock_kind kind = lock_kind::mutex;
  std::string name;
  std::int64_t initial = 0;
};
struct LockAt {
  std::uint64_t request = 0;
  unsigned number = 0;
};
// Process to agent: one of its threads wants a lock. Answered LockAnswer, when it is decided; or Failed.
struct LockRequest {
  std::uint64_t request = 0;
  LockCall call;
  std::uint32_t thread = 0;
};
struct LockAnswer {
  std::uint64_t request = 0;
  lock_outcome outcome = lock_outcome::held;
  std::optional<Obituary> died;
  std::uint64_t value = 0;  // of an event or a barrier: what is told
};
// Process to agent: it waits no longer for what it requested. That request is answered.
struct LockRecall {
  std::uint64_t recalled = 0;
  lock_kind kind = lock_kind::mutex;
  unsigned number = 0;
};
// Process to agent: a mutex is unlocked, units are released, so many waiters at a condition are notified.
struct LockRelease {
  lock_kind kind = lock_kind::mutex;
  unsigned number = 0;
  std::uint64_t how_many = 1;
};

using LockNotice = std::variant<OpenLock, LockAt, LockRequest, LockAnswer, LockRecall, LockRelease>;

}  // namespace octavo::control
