// SPDX-License-Identifier: Apache-2.0
// Counting references: which processes have a page, and to which of them it is on its way.
#include <string>

#include "base/delay_point.hpp"
#include "machine/pool/locked.hpp"
#include "machine/pool/page_order.hpp"
#include "machine/pool/transit_list.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

bool Pool::is_there(std::size_t block, const wire::PageRef& page) const noexcept {
  const auto& here = blocks_[block];
  const std::uint64_t run = here.run.load(std::memory_order_acquire);
  return run != 0 && page.bytes <= run << block_shift_ && here.generation.load(std::memory_order_relaxed) == page.generation;
}

void refuse_page(const wire::PageRef& page) {
  throw io_error("a reference to a page that is no longer there (offset " + std::to_string(page.offset) + ", " + std::to_string(page.bytes) + " bytes)");
}

bool Pool::has(const wire::PageRef& page) const noexcept {
  const std::uint64_t block = page.offset >> block_shift_;
  return block << block_shift_ == page.offset && block < header_->blocks && is_there(block, page);
}

std::size_t Pool::block_of(const wire::PageRef& page) const {
  if (!has(page)) refuse_page(page);
  return page.offset >> block_shift_;
}

std::byte* Pool::at(const wire::PageRef& page) const {
  (void)block_of(page);
  return data_ + page.offset;
}

std::uint32_t Pool::references(const wire::PageRef& page) const { return blocks_[block_of(page)].references.load(std::memory_order_acquire); }

std::uint16_t Pool::in_row(unsigned slot, std::size_t block) const noexcept {
  return std::atomic_ref(rows_[slot * header_->blocks + block]).load(std::memory_order_relaxed);
}

void Pool::set_row(unsigned slot, std::size_t block, std::uint16_t count) const noexcept {
  std::atomic_ref(rows_[slot * header_->blocks + block]).store(count, std::memory_order_relaxed);
}

void Pool::may_come_to(unsigned slot, std::size_t block) noexcept {
  auto& top = header_->tops[slot];
  for (auto now = top.load(std::memory_order_relaxed); now <= block;)
    if (top.compare_exchange_weak(now, static_cast<std::uint32_t>(block + 1))) break;
}

void Pool::enter(unsigned slot, std::size_t block) {
  const auto now = in_row(slot, block);
  if (now == UINT16_MAX) throw refused("a process has a page " + std::to_string(now) + " times", "Release some of its references first");
  may_come_to(slot, block);
  set_row(slot, block, static_cast<std::uint16_t>(now + 1));
}

bool Pool::leave(unsigned slot, std::size_t block) noexcept {
  const auto now = in_row(slot, block);
  if (now != 0) set_row(slot, block, static_cast<std::uint16_t>(now - 1));
  return now != 0;
}

// A lock whose holder died is freed by the agent when it reaps that process. The agent's own thread does not wait for ever: it may be the one that is to reap.
BlockLock Pool::lock_of(std::size_t block) noexcept {
  constexpr auto patience = std::chrono::seconds(5);
  auto& word = blocks_[block].lock;
  if (slot_ != agent_slot) return {word, slot_};
  auto lock = BlockLock::within(word, slot_, patience);
  if (!lock) log_line("a page of the pool is locked by a process that has ended, or that is stopped: a reference to it is left taken");
  return lock;
}

void Pool::share(const wire::PageRef& page) {
  Locked at(*this, page);
  if (!at) refuse_page(page);
  enter(slot_, at.block);
  blocks_[at.block].references.fetch_add(1, std::memory_order_relaxed);
}

void Pool::hand_over(const wire::PageRef& page, const wire::PageRoute& to) {
  delay_point("page: about to be handed over");
  passed_on(header_);
  Locked at(*this, page);
  if (!at || in_row(slot_, at.block) == 0) refuse_page(page);
  if (to.way == 0) {
    enter(to.slot, at.block);
  } else {
    may_come_to(to.slot, at.block);
    TransitList(*this, at.block).add(to, slot_);
  }
  delay_point("page: entered there, not left here");
  leave(slot_, at.block);
}

void Pool::accept(const wire::PageRef& page, std::uint32_t way) {
  taken_up(header_);
  delay_point("page: about to be accepted by its row");
  if (way == 0) return;
  Locked at(*this, page);
  if (!at || !arrive(at.block, {slot_, way})) refuse_page(page);
}

bool Pool::recall(const wire::PageRef& page, const wire::PageRoute& from) noexcept {
  try {
    Locked at(*this, page);
    return at && arrive(at.block, from);
  } catch (const error&) {  // stale: reclaimed
    return false;
  }
}

// Moves one reference from what is on its way by `by` to the row of this process.
bool Pool::arrive(std::size_t block, const wire::PageRoute& by) {
  enter(slot_, block);
  if (TransitList(*this, block).take([&](InTransit each) { return each.way == by.way && each.to == by.slot; })) return true;
  leave(slot_, block);
  return false;
}

void Pool::take_back(const wire::PageRef& page, const wire::PageRoute& from) noexcept {
  try {
    Locked at(*this, page);
    if (!at) return;
    const bool was_there = from.way == 0 ? leave(from.slot, at.block)
                                         : TransitList(*this, at.block).take([&](InTransit each) { return each.way == from.way && each.to == from.slot; });
    if (was_there) at.drop(1);
  } catch (const error&) {  // stale: reclaimed
  }
}

void Pool::release(const wire::PageRef& page) noexcept {
  try {
    Locked at(*this, page);
    if (at && leave(slot_, at.block)) at.drop(1);
  } catch (const error&) {  // stale: it was freed when its holder died
  }
}

}  // namespace octavo
