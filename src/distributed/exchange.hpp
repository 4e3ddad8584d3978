// SPDX-License-Identifier: Apache-2.0
// Parts of arrays from each member to others, in one collective: what is small is packed; what is large is copied from where it lies, by members of the same
// machine, who share the pool.
//
//   Exchange plan;  plan.add(peer, to_peer, from_peer, theirs.wide, 8);  ...
//   exchange(c, plan, {data, mine.wide, &page}, {other, wide, nullptr});       // returns when nobody reads `from` any more
//
// All members make plans that fit each other. Threading: that of a collective.
#pragma once

#include <map>

#include "distributed/strips.hpp"
#include "octavo/data/page.hpp"
#include "octavo/group/detail/collective.hpp"

namespace octavo::detail {

// Where elements lie. `page`: which is all of it, to be lent; none: it is not.
struct Memory {
  std::byte* data = nullptr;
  Shape wide;
  const Page* page = nullptr;
};

struct Transfer {
  Strips strips;
  std::int64_t bytes = 0;
  Shape wide;  // of the other's memory
};

struct Exchange {
  std::map<std::uint32_t, Transfer> sent, received;  // by member
  std::int64_t item = 0;
  // `wide`: of the memory that this peer sends from.
  void add(std::uint32_t peer, Strips to_peer, Strips from_peer, const Shape& wide, std::int64_t item);
};

void exchange(Collective& c, const Exchange& plan, const Memory& from, const Memory& to);

}  // namespace octavo::detail
