// SPDX-License-Identifier: Apache-2.0
// The lock of a pool's room. A process that dies with it blocks nobody: the next holder finishes the change that was under way, and counts the taken blocks.
// Lock a block (block_lock.hpp) before it, never after.
//
//   Lock lock(pool);
//   lock.begin_change(block);        // of one that is free; from here on the next holder frees it, if this process dies
//   lock.end_change();               // it is taken
#pragma once

#include "machine/pool/tables.hpp"

namespace octavo {

class Pool::Lock {
 public:
  explicit Lock(const Pool& pool);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  [[nodiscard]] std::optional<std::size_t> find_run(std::size_t length) const;
  void begin_change(std::size_t block) const noexcept;
  void end_change() const noexcept;
  // Frees the block that is being changed.
  void finish_change() const noexcept;

 private:
  void recover() const noexcept;

  const Pool& pool_;
  Header& header_;
};

}  // namespace octavo
