// SPDX-License-Identifier: Apache-2.0
// The pool's books, in its shared memory before the pages: header, blocks, what is on its way, rows. Every reference to a page stands in
// exactly one of two places: in the row of the process that has it, or as one on its way to a process (transit_list.hpp). `references` of the
// page's first block is their sum, and is kept while that block is locked (block_lock.hpp); a process that died meanwhile left a lock that its
// agent finds, and the agent makes the sum again (reclaim.cpp). Zero bytes are valid, but for the header's.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "machine/pool/block_lock.hpp"
#include "octavo/machine/pool.hpp"

namespace octavo {

// Throws io_error: there is no such page (any more).
[[noreturn]] void refuse_page(const wire::PageRef& page);

// References that one process gave another by one way, and that did not arrive yet.
struct InTransit {
  std::uint32_t way = 0;
  std::uint16_t to = 0;     // the slot
  std::uint16_t count = 0;  // 0: this entry is free
};
static_assert(std::atomic<InTransit>::is_always_lock_free);

// Where a page begins; of its other blocks all is 0.
struct Pool::Block {
  std::atomic<std::uint32_t> lock;  // BlockLock
  std::atomic<std::uint32_t> references;
  std::atomic<std::uint32_t> generation;
  std::atomic<std::uint32_t> run;   // the page's length in blocks; 0: it is free. Changed under the pool's lock only
  std::atomic<InTransit> transit;   // most pages have one at most
  std::atomic<std::uint32_t> more;  // the others: the number of the first entry of their chain, from 1
};

// A page that is shared with many at once has a chain of them.
struct Pool::TransitEntry {
  std::atomic<InTransit> transit;
  std::atomic<std::uint32_t> of;    // its block, from 1; 0: this entry is free
  std::atomic<std::uint32_t> next;  // from 1
};

struct Pool::Header {
  std::uint64_t magic;
  std::int64_t bytes, block_bytes;
  std::uint64_t blocks, data_offset;
  std::uint32_t huge;
  std::atomic<std::uint32_t> freed;  // counts frees; threads that wait for room sleep on it
  pthread_mutex_t mutex;             // robust: a holder that dies blocks nobody (P-3)
  std::uint64_t taken;               // blocks; changed under the lock, and counted again when its holder died
  std::uint32_t changing;            // under the lock: the block that is being taken or freed, from 1; the next holder frees it if this one died
  std::uint32_t changing_slot;       // the slot of that process: its row may count the block already
  std::atomic<std::uint32_t> transit_entries_used;
  // Of each slot: no block from there on was ever counted in its row, or on its way to it. Never lowered, so that it is looked through while others write.
  std::array<std::atomic<std::uint32_t>, agent_slot + 1> tops;
  // Bytes by slot; changed under the lock, each by one store.
  std::array<std::atomic<std::int64_t>, agent_slot + 1> reserved;
};

}  // namespace octavo
