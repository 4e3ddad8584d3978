// SPDX-License-Identifier: Apache-2.0
// The lock of a pool's room. A process that dies with it blocks nobody: the next holder finishes the change that was under way, and counts the taken blocks.
// Lock a block (block_lock.hpp) before it, never after.
#pragma once

#include "machine/pool/tables.hpp"

namespace octavo {

class Pool::Lock {
 public:
  explicit Lock(const Pool& pool);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

}  // namespace octavo
