// SPDX-License-Identifier: Apache-2.0
// The block of a page, locked: nobody else changes the counts of that page meanwhile.
//
//   Locked at(pool, page);             // throws io_error for a reference that is stale or foreign
//   pool.set_row(slot, at.block, 0);
//   at.drop(1);                        // of the sum; frees the page with the last
#pragma once

#include "machine/pool/tables.hpp"

namespace octavo {

class Pool::Locked {
 public:
  Locked(Pool& pool, const wire::PageRef& page) : block(pool.block_of(page)), pool_(pool), lock_(pool.lock_of(block)) {
    if (!lock_ || pool.is_there(block, page)) return;
    leave_free();
    refuse_page(page);
  }
  Locked(Pool& pool, std::size_t number, BlockLock lock) : block(number), pool_(pool), lock_(std::move(lock)) {}
  explicit operator bool() const noexcept { return static_cast<bool>(lock_); }
  void drop(std::uint32_t count) noexcept { set(pool_.blocks_[block].references.load(std::memory_order_relaxed) - count); }
  void set(std::uint32_t references) noexcept {
    pool_.blocks_[block].references.store(references, std::memory_order_release);
    if (references != 0) return;
    lock_.leave_locked();
    pool_.free(block);
  }

  // The block was freed before it was locked. A thread that looked for room may have passed it by because of this lock, and looks again.
  void leave_free() noexcept {
    lock_.unlock();
    pool_.tell_of_room();
  }

  const std::size_t block;

 private:
  Pool& pool_;
  BlockLock lock_;
};

}  // namespace octavo
