// SPDX-License-Identifier: Apache-2.0
// The pages of one job on one machine: a memfd made by the agent, its size the budget, mapped by all processes of the job.
// A page is a run of blocks; every process that holds it counts its references in a row of its own, so that what a dead
// process held can be found and freed by its agent.
//
//   PageRef page = pool.allocate(4 << 20);      // waits while the pool is full: admission is the free list
//   std::memset(pool.at(page), 0, page.bytes);
//   pool.hand_over(page, {slot, way});          // to another process, which accept()s what it finds in a message
//   pool.release(page);                         // the last reference frees it
//
// P-1  A page is freed when the last reference of the last process is released, not before.
// P-2  allocate() waits for room, never exceeds the pool; more than the whole pool is refused at once.
// P-3  A process may die at any instant of any of these: what it held is freed by reclaim(its slot), nothing that another has is, and nobody is blocked
//      for longer than until then.
// P-4  What was handed over and has not arrived is the receiver's: freed when the receiver dies or closes the way, which it does when the other end is gone.
// P-5  A Reservation waits until what is reserved fits the pool together. It orders those that reserve, so that none waits for pages of another with pages
//      of its own; allocate() does not know of it. What a process reserved goes with it.
// Threading: any thread of any process. In a process that uses it, it is owned by the endpoint and by whoever keeps memory of it for longer.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "octavo/base/bytes.hpp"
#include "octavo/base/fd.hpp"
#include "octavo/road/doorbell.hpp"
#include "octavo/wire/page_ref.hpp"

namespace octavo {

class BlockLock;

// The smallest piece of a pool of this size: 4 KiB up to 4 GiB, then the power of two above a millionth of the pool.
constexpr std::int64_t pool_block_bytes(std::int64_t pool_bytes) {
  std::int64_t block = 4096;
  while (block * (1 << 20) < pool_bytes) block *= 2;
  return block;
}
// What the pool's own tables take at most while `processes` use it.
constexpr std::int64_t pool_table_bytes(std::int64_t pool_bytes, int processes) {
  return pool_bytes / pool_block_bytes(pool_bytes) * (32 + 2 * processes) + 4096 * (3 + processes + processes / 4);
}

class Pool final : public wire::SharedPages, public std::enable_shared_from_this<Pool> {
 public:
  class Reservation;  // machine/pool/reservation.hpp
  static constexpr unsigned most_processes = 512;
  static constexpr unsigned agent_slot = most_processes;

  // The shared memory of a new pool; huge pages where the system gives them (hugetlb, then shared transparent ones).
  static Fd make(std::int64_t bytes);
  // Maps it. `slot` is this process's row, given by the agent.
  Pool(Fd memory, unsigned slot);
  ~Pool() override;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  wire::PageRef allocate(std::int64_t bytes, road::Deadline deadline = road::never);  // throws refused, timed_out
  std::optional<wire::PageRef> try_allocate(std::int64_t bytes);
  std::optional<wire::PageRef> try_allocate_spare(std::int64_t bytes) override;
  [[nodiscard]] std::byte* at(const wire::PageRef& page) const override;  // throws io_error for a stale or foreign reference
  [[nodiscard]] bool has(const wire::PageRef& page) const noexcept;       // its last reference is not released yet
  [[nodiscard]] std::uint32_t references(const wire::PageRef& page) const;
  void share(const wire::PageRef& page) override;
  void hand_over(const wire::PageRef& page, const wire::PageRoute& to) override;
  void accept(const wire::PageRef& page, std::uint32_t way) override;
  // After a hand-over that could not be sent: releases it, unless the receiver's end already did.
  void take_back(const wire::PageRef& page, const wire::PageRoute& from) noexcept override;
  // After one by a way, that was not sent: it is ours again. False, and it was released, if the receiver's end has closed the way.
  [[nodiscard]] bool recall(const wire::PageRef& page, const wire::PageRoute& from) noexcept;
  void release(const wire::PageRef& page) noexcept override;
  void close_way(std::uint32_t way) noexcept override;
  // By the agent. False: another process, which is to be reclaimed too or has not had the processor for some milliseconds, stands in the way of some of it; to
  // be called again.
  bool reclaim(unsigned dead_slot) noexcept;

  [[nodiscard]] std::int64_t bytes() const noexcept;  // all of it
  [[nodiscard]] std::int64_t free_bytes() const;      // now
  [[nodiscard]] std::int64_t resident_bytes() const;  // that the system has given so far, bookkeeping included
  [[nodiscard]] bool huge() const noexcept;           // whether its pages are huge
  [[nodiscard]] unsigned slot() const noexcept { return slot_; }
  [[nodiscard]] int descriptor() const noexcept;

 private:
  struct Header;
  struct Block;
  struct TransitEntry;
  class Lock;
  class Locked;
  class TransitList;
  static constexpr std::uint32_t most_transit_entries = 1 << 18;  // they take no memory until they are used
  // room.cpp
  std::optional<wire::PageRef> try_allocate(std::int64_t bytes, std::uint64_t leave_blocks);
  std::optional<wire::PageRef> take_run(std::size_t length, std::int64_t bytes, std::uint64_t leave_blocks);
  void populate(std::size_t first, std::size_t length) noexcept;
  void free(std::size_t block) noexcept;
  void tell_of_room() const noexcept;
  // count.cpp
  [[nodiscard]] std::size_t block_of(const wire::PageRef& page) const;
  [[nodiscard]] bool is_there(std::size_t block, const wire::PageRef& page) const noexcept;
  BlockLock lock_of(std::size_t block) noexcept;
  [[nodiscard]] std::uint16_t in_row(unsigned slot, std::size_t block) const noexcept;
  void set_row(unsigned slot, std::size_t block, std::uint16_t count) const noexcept;
  void may_come_to(unsigned slot, std::size_t block) noexcept;
  void enter(unsigned slot, std::size_t block);
  bool leave(unsigned slot, std::size_t block) noexcept;
  bool arrive(std::size_t block, const wire::PageRoute& by);
  // reclaim.cpp
  template <class Each>
  void for_blocks_of(unsigned slot, Each each);
  bool reclaim_of(std::size_t block, unsigned dead_slot) noexcept;
  std::uint32_t count_again(std::size_t block) noexcept;

  Fd memory_;
  unsigned slot_;
  Header* header_ = nullptr;
  Block* blocks_ = nullptr;
  TransitEntry* transit_entries_ = nullptr;
  std::uint16_t* rows_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t mapped_ = 0;
  int block_shift_ = 0;
  std::atomic<std::size_t> populated_{0};  // blocks before this one are mapped here
};

}  // namespace octavo
