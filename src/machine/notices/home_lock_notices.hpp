// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other of locks of the home, ov://home/..., which the lasting agent of the machine keeps: by their names, so that
// the next lasting agent understands it, too.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "machine/locks/lock_waiter.hpp"

namespace octavo::control {

struct HomeLock {
  lock_kind kind = lock_kind::mutex;
  std::string name;          // with ov://home/
  std::int64_t initial = 0;  // of a semaphore
};
// Process to agent, and on to the lasting agent: one of its threads wants a lock. Answered LockAnswer, when it is decided; or Failed.
struct HomeLockRequest {
  std::uint64_t request = 0;
  HomeLock lock;
  bool at_once = false;      // or not at all
  std::string mutex;         // of a condition: given up meanwhile
  std::uint32_t thread = 0;  // of the process
  std::uint64_t ticket = 0;  // of the process: tells its requests apart, wherever they are kept
};
// The same way. Answered Done.
struct HomeLockSaid {
  std::uint64_t request = 0;
  HomeLock lock;
  std::uint32_t thread = 0;
  std::uint64_t how_many = 0;  // a mutex is unlocked (1), units are released, so many waiters at a condition notified; 0: it is there, no more
  std::uint64_t recalled = 0;  // a ticket: it waits no longer for this, which is answered; 0: none
};

using HomeLockNotice = std::variant<HomeLockRequest, HomeLockSaid>;

}  // namespace octavo::control
