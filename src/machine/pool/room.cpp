// SPDX-License-Identifier: Apache-2.0
// Which blocks are free: making pages of them, and freeing them.
#include "machine/pool/room.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "machine/pool/page_order.hpp"
#include "machine/pool/shared_futex.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

Pool::Lock::Lock(const Pool& pool) : pool_(pool), header_(*pool.header_) {
  if (pthread_mutex_lock(&header_.mutex) == EOWNERDEAD) recover();
}

Pool::Lock::~Lock() { pthread_mutex_unlock(&header_.mutex); }

void Pool::Lock::recover() const noexcept {
  pthread_mutex_consistent(&header_.mutex);
  if (header_.changing != 0) finish_change();
  header_.taken = 0;
  std::uint32_t end = 0;
  for (const auto& top : header_.tops) end = std::max(end, top.load(std::memory_order_relaxed));
  for (std::size_t i = 0; i < end;) {
    const std::size_t run = pool_.blocks_[i].run.load(std::memory_order_relaxed);
    header_.taken += run;
    i += std::max<std::size_t>(run, 1);
  }
  pool_.tell_of_room();  // the dead holder may have freed blocks and not woken those that wait for room
}

std::optional<std::size_t> Pool::Lock::find_run(std::size_t length) const {
  // Lowest address first: the pool's resident part stays as small as its use.
  std::size_t free_from = 0;
  for (std::size_t i = 0; i < header_.blocks;) {
    const auto& block = pool_.blocks_[i];
    if (const std::size_t run = block.run.load(std::memory_order_relaxed); run != 0) {
      i += run;
      free_from = i;
    } else if (block.lock.load(std::memory_order_relaxed) != 0) {  // by a thread that checks whether its own, stale, page is still there
      free_from = ++i;
    } else if (++i - free_from == length) {
      return free_from;
    }
  }
  return std::nullopt;
}

std::optional<wire::PageRef> Pool::try_allocate(std::int64_t bytes) { return try_allocate(bytes, 0); }
std::optional<wire::PageRef> Pool::try_allocate_spare(std::int64_t bytes) { return try_allocate(bytes, header_->blocks / 2); }

std::optional<wire::PageRef> Pool::try_allocate(std::int64_t bytes, std::uint64_t leave_blocks) {
  if (bytes < 0 || bytes > header_->bytes) return std::nullopt;
  auto length = static_cast<std::size_t>(std::max<std::int64_t>(1, (bytes + header_->block_bytes - 1) / header_->block_bytes));
  auto page = take_run(length, bytes, leave_blocks);
  taken_up(header_);
  constexpr std::int64_t most_for_others = 64 * MiB;  // more would hold up a thread that serves many
  if (page && (leave_blocks == 0 || bytes <= most_for_others)) populate(static_cast<std::size_t>(page->offset >> block_shift_), length);
  return page;
}

// The system gives the memory now, in one call, and not fault by fault to whoever writes first: mostly the thread that feeds a disk.
void Pool::populate(std::size_t first, std::size_t length) noexcept {
  const auto block_bytes = static_cast<std::size_t>(header_->block_bytes);
  const std::size_t known = populated_.load(std::memory_order_relaxed), end = first + length;
  if (end <= known) return;
  const std::size_t from = first <= known ? known : first;
  if (::madvise(data_ + from * block_bytes, (end - from) * block_bytes, MADV_POPULATE_WRITE) == 0 && first <= known)
    populated_.store(end, std::memory_order_relaxed);  // a lower one that another thread stores is as true
}

std::optional<wire::PageRef> Pool::take_run(std::size_t length, std::int64_t bytes, std::uint64_t leave_blocks) {
  Lock lock(*this);
  if (header_->taken + length + leave_blocks > header_->blocks) return std::nullopt;
  auto start = lock.find_run(length);
  if (!start) return std::nullopt;
  Block& block = blocks_[*start];
  may_come_to(slot_, *start);
  lock.begin_change(*start);
  set_row(slot_, *start, 1);
  block.references.store(1, std::memory_order_relaxed);
  header_->taken += length;
  block.run.store(static_cast<std::uint32_t>(length), std::memory_order_release);
  lock.end_change();
  return wire::PageRef{static_cast<std::uint64_t>(*start) << block_shift_, static_cast<std::uint64_t>(bytes), block.generation.load(), 0};
}

// The caller holds the block's lock, which finish_change() unlocks.
void Pool::free(std::size_t block) noexcept {
  {
    Lock lock(*this);
    lock.begin_change(block);
    header_->taken -= blocks_[block].run.load(std::memory_order_relaxed);
    lock.finish_change();
  }
  tell_of_room();
}

// If this process dies between begin_change() and end_change(), the next process that takes the pool's lock frees the block. The order of the stores counts
// for a process that is killed between two of them, not for other processors: they see what the robust mutex publishes.
void Pool::Lock::begin_change(std::size_t block) const noexcept {
  header_.changing_slot = pool_.slot_;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  header_.changing = static_cast<std::uint32_t>(block + 1);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

void Pool::Lock::end_change() const noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  header_.changing = 0;
}

void Pool::Lock::finish_change() const noexcept {
  const std::size_t number = header_.changing - 1;
  const unsigned slot = header_.changing_slot;
  Block& block = pool_.blocks_[number];
  if (pool_.in_row(slot, number) != 0) pool_.set_row(slot, number, 0);
  block.references.store(0, std::memory_order_relaxed);
  block.generation.fetch_add(1, std::memory_order_relaxed);
  block.run.store(0, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (BlockLock::is_of(block.lock, slot)) BlockLock::unlock(block.lock);
  end_change();
}

void Pool::tell_of_room() const noexcept {
  header_->freed.fetch_add(1, std::memory_order_seq_cst);
  wake_all(header_->freed);
}

wire::PageRef Pool::allocate(std::int64_t bytes, road::Deadline deadline) {
  if (bytes < 0 || bytes > header_->bytes)
    throw refused("a page of " + format_bytes(bytes) + " does not fit the pool of " + format_bytes(header_->bytes),
                  "Give the job more memory, or use smaller pages");
  for (;;) {
    std::uint32_t freed = header_->freed.load(std::memory_order_seq_cst);
    if (auto page = try_allocate(bytes)) return *page;
    if (!sleep_on(header_->freed, freed, deadline))
      throw timed_out("no room for a page of " + format_bytes(bytes) + " in the pool of " + format_bytes(header_->bytes),
                      "Release pages, or give the job more memory");
  }
}

std::int64_t Pool::free_bytes() const {
  Lock lock(*this);
  return header_->bytes - static_cast<std::int64_t>(header_->taken) * header_->block_bytes;
}

}  // namespace octavo
