// SPDX-License-Identifier: Apache-2.0
// The references to one page that were handed over and have not arrived: to whom, by which way, how many. The first lies in the block
// itself, the others in a chain. Each step leaves a chain that can be followed, so that the agent can clean up behind a process that died in it.
//
//   transit_list.add({slot, way}, from_slot);                         // throws refused: too many, of all pages
//   if (transit_list.take([](InTransit each) { return each.way == way; })) count_it_in_a_row();
//
// Threading: the holder of the block's lock.
#pragma once

#include "machine/pool/tables.hpp"

namespace octavo {

class Pool::TransitList {
 public:
  TransitList(const Pool& pool, std::size_t block)
      : header_(*pool.header_), mores_(pool.transit_entries_), block_(pool.blocks_[block]), number_(static_cast<std::uint32_t>(block + 1)) {}
  void add(const wire::PageRoute& to, unsigned from_slot);
  // A look without the lock: false if there is none that is `meant`.
  template <class Meant>
  static bool may_have(const Block& block, Meant meant) noexcept {
    const auto first = block.transit.load(relaxed);
    return (first.count != 0 && meant(first)) || block.more.load(relaxed) != 0;
  }
  // One of those that are `meant`. False: there is none.
  template <class Meant>
  bool take(Meant meant) {
    return change(meant, 1) != 0;
  }
  // All of those, and how many they were.
  template <class Meant>
  std::uint32_t take_all(Meant meant) {
    std::uint32_t all = 0;
    while (auto n = change(meant, UINT16_MAX)) all += n;
    return all;
  }
  [[nodiscard]] std::uint32_t count() const;
  // Frees the entries that a dead process had claimed for this block and not linked into its chain yet, or had unlinked and not freed.
  void sweep();

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  std::uint32_t claim(unsigned from_slot);
  [[nodiscard]] TransitEntry& more(std::uint32_t number) const { return mores_[number - 1]; }
  void unlink(std::uint32_t number);
  static std::uint32_t lower(std::atomic<InTransit>& at, std::uint16_t most);
  template <class Meant>
  std::uint32_t change(Meant meant, std::uint16_t most) {
    auto is = [&](InTransit each) { return each.count != 0 && meant(each); };
    if (is(block_.transit.load(relaxed))) return lower(block_.transit, most);
    for (auto at = block_.more.load(relaxed); at != 0; at = more(at).next.load(relaxed)) {
      if (!is(more(at).transit.load(relaxed))) continue;
      const auto n = lower(more(at).transit, most);
      if (more(at).transit.load(relaxed).count == 0) unlink(at);
      return n;
    }
    return 0;
  }

  Header& header_;
  TransitEntry* mores_;
  Block& block_;
  std::uint32_t number_;
};

}  // namespace octavo
