// SPDX-License-Identifier: Apache-2.0
// A page as it travels: where it lies in the machine's shared pool. The bytes never enter a frame, but on the way to another machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace octavo::wire {

struct PageRef {
  std::uint64_t offset = 0;      // from the pool's first block
  std::uint64_t bytes = 0;       // length asked for
  std::uint32_t generation = 0;  // of the block; a stale reference is noticed
  std::uint16_t by_value = 0;    // 1: it is of no pool of ours; its bytes came as a bulk part
  std::uint16_t in_common = 0;   // 1: several write to it, so its bytes elsewhere would be something else; it goes only where its pool is
};
static_assert(sizeof(PageRef) == 24);

// Where a reference goes: to the process of this slot, by this way, which is one direction of one connection. By none, 0, it has arrived as soon as it was
// handed over: between objects of one process.
struct PageRoute {
  unsigned slot = 0;
  std::uint32_t way = 0;
};

// Counts references to pages: the pool. A message holds one reference for each page it carries.
class PageKeeper {
 public:
  virtual ~PageKeeper() = default;
  virtual void release(const PageRef& page) noexcept = 0;
  // A page came by this way. Throws io_error if none was handed over.
  virtual void accept(const PageRef& page, std::uint32_t way) = 0;
  // Nothing is taken from this way any more, at one end of which we are: what was handed over there and not accepted is released.
  virtual void close_way(std::uint32_t way) noexcept = 0;
};

// The pool, for roads that make pages of what comes, and pass pages on to a process that does not read the frames they travel with.
// Threading: any thread.
class SharedPages : public PageKeeper {
 public:
  [[nodiscard]] virtual std::byte* at(const PageRef& page) const = 0;         // throws io_error for a stale or foreign reference
  virtual std::optional<PageRef> try_allocate_spare(std::int64_t bytes) = 0;  // nothing: less than half of all would stay free
  virtual void share(const PageRef& page) = 0;
  virtual void hand_over(const PageRef& page, const PageRoute& to) = 0;
  // After a hand-over that was not received: releases it, unless the receiver's end already did.
  virtual void take_back(const PageRef& page, const PageRoute& from) noexcept = 0;
};

}  // namespace octavo::wire
