// SPDX-License-Identifier: Apache-2.0
// A page as it travels: where it lies in the machine's shared pool. The bytes never enter a frame.
#pragma once

#include <cstdint>

namespace octavo::wire {

struct PageRef {
  std::uint64_t offset = 0;      // from the pool's first block
  std::uint64_t bytes = 0;       // length asked for
  std::uint32_t generation = 0;  // of the block; a stale reference is noticed
  std::uint32_t reserved = 0;
};
static_assert(sizeof(PageRef) == 24);

// Who counts references to pages: the pool. A message holds one reference for each page it carries.
class PageKeeper {
 public:
  virtual ~PageKeeper() = default;
  virtual void release(const PageRef& page) noexcept = 0;
};

}  // namespace octavo::wire
