// SPDX-License-Identifier: Apache-2.0
// Releasing the references of a dead process, and those on a way whose receiver has closed it.
#include <algorithm>

#include "base/delay_point.hpp"
#include "machine/pool/locked.hpp"
#include "machine/pool/room.hpp"
#include "machine/pool/transit_list.hpp"

namespace octavo {

// Each block where a page begins, or that is free, below the slot's top. A page with a reference of this slot, or on its way to it, cannot be freed meanwhile.
template <class Each>
void Pool::for_blocks_of(unsigned slot, Each each) {
  const std::size_t end = std::min<std::size_t>(header_->tops[slot].load(), header_->blocks);
  for (std::size_t block = 0; block < end;) {
    const std::size_t run = blocks_[block].run.load(std::memory_order_acquire);
    each(block);
    block += std::max<std::size_t>(run, 1);
  }
}

bool Pool::reclaim(unsigned dead_slot) noexcept {
  {
    Lock finishes_what_it_was_changing(*this);
    header_->reserved[dead_slot].store(0, std::memory_order_relaxed);
  }
  bool all = true;
  for_blocks_of(dead_slot, [&](std::size_t block) { all = reclaim_of(block, dead_slot) && all; });
  tell_of_room();  // the dead process may have freed blocks and not woken those that wait for room
  return all;
}

bool Pool::reclaim_of(std::size_t number, unsigned dead_slot) noexcept {
  auto& block = blocks_[number];
  auto is_to_it = [&](InTransit each) { return each.to == dead_slot; };
  const bool died_here = BlockLock::is_of(block.lock, dead_slot);
  if (!died_here && in_row(dead_slot, number) == 0 && !TransitList::may_have(block, is_to_it)) return true;
  Locked at(*this, number, BlockLock::take_over(block.lock, dead_slot, slot_));
  if (!at) return false;
  if (block.run.load(std::memory_order_relaxed) == 0) return true;
  TransitList transit_list(*this, number);
  if (died_here) transit_list.sweep();
  const std::uint32_t to_it = transit_list.take_all(is_to_it), had = in_row(dead_slot, number);
  if (had != 0) set_row(dead_slot, number, 0);
  if (died_here) at.set(count_again(number));
  else at.drop(to_it + had);
  return true;
}

std::uint32_t Pool::count_again(std::size_t block) noexcept {
  std::uint32_t sum = TransitList(*this, block).count();
  for (unsigned slot = 0; slot <= agent_slot; ++slot)
    if (header_->tops[slot].load(std::memory_order_relaxed) > block) sum += in_row(slot, block);
  return sum;
}

void Pool::close_way(std::uint32_t way) noexcept {
  if (way == 0) return;
  delay_point("page: its way is about to close");
  auto is_of_it = [&](InTransit each) { return each.way == way; };
  for_blocks_of(slot_, [&](std::size_t number) {
    auto& block = blocks_[number];
    if (!TransitList::may_have(block, is_of_it)) return;
    Locked at(*this, number, lock_of(number));
    if (!at) return;
    if (block.run.load(std::memory_order_relaxed) == 0) return at.leave_free();
    if (const auto left = TransitList(*this, number).take_all(is_of_it); left != 0) at.drop(left);
  });
}

}  // namespace octavo
