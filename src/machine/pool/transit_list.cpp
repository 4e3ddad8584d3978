// SPDX-License-Identifier: Apache-2.0
#include "machine/pool/transit_list.hpp"

#include <algorithm>
#include <string>

#include "octavo/base/error.hpp"

namespace octavo {

void Pool::TransitList::add(const wire::PageRoute& to, unsigned from_slot) {
  const auto slot = static_cast<std::uint16_t>(to.slot);
  auto one_more = [&](std::atomic<InTransit>& at) {
    const auto now = at.load(relaxed);
    const bool is_it = now.count != 0 && now.way == to.way && now.to == slot && now.count != UINT16_MAX;
    if (is_it) at.store({now.way, now.to, static_cast<std::uint16_t>(now.count + 1)}, relaxed);
    return is_it;
  };
  if (one_more(block_.transit)) return;
  for (auto at = block_.more.load(relaxed); at != 0; at = more(at).next.load(relaxed))
    if (one_more(more(at).transit)) return;
  if (block_.transit.load(relaxed).count == 0) return block_.transit.store({to.way, slot, 1}, relaxed);
  const auto fresh = claim(from_slot);
  more(fresh).transit.store({to.way, slot, 1}, relaxed);
  more(fresh).next.store(block_.more.load(relaxed), relaxed);
  block_.more.store(fresh, std::memory_order_release);
}

// Each slot begins to look at a place of its own.
std::uint32_t Pool::TransitList::claim(unsigned from_slot) {
  const std::uint32_t first = from_slot * (most_transit_entries / (most_processes + 1));
  for (std::uint32_t i = 0; i < most_transit_entries; ++i) {
    const std::uint32_t number = (first + i) % most_transit_entries + 1;
    for (auto now = header_.transit_entries_used.load(relaxed); now < number;)
      if (header_.transit_entries_used.compare_exchange_weak(now, number)) break;
    std::uint32_t nobody = 0;
    if (more(number).of.load(relaxed) == 0 && more(number).of.compare_exchange_strong(nobody, number_)) return number;
  }
  throw refused("more than " + std::to_string(most_transit_entries) + " pages that several processes share are on their way to others",
                "Wait for results before more calls are started");
}

void Pool::TransitList::unlink(std::uint32_t number) {
  auto* before = &block_.more;
  while (before->load(relaxed) != number) before = &more(before->load(relaxed)).next;
  before->store(more(number).next.load(relaxed), relaxed);
  more(number).of.store(0, std::memory_order_release);
}

std::uint32_t Pool::TransitList::lower(std::atomic<InTransit>& at, std::uint16_t most) {
  auto now = at.load(relaxed);
  const auto n = std::min(now.count, most);
  now.count = static_cast<std::uint16_t>(now.count - n);
  at.store(now.count == 0 ? InTransit{} : now, relaxed);
  return n;
}

std::uint32_t Pool::TransitList::count() const {
  std::uint32_t all = block_.transit.load(relaxed).count;
  for (auto at = block_.more.load(relaxed); at != 0; at = more(at).next.load(relaxed)) all += more(at).transit.load(relaxed).count;
  return all;
}

void Pool::TransitList::sweep() {
  for (std::uint32_t number = header_.transit_entries_used.load(); number != 0; --number) {
    if (more(number).of.load(relaxed) != number_) continue;
    auto at = block_.more.load(relaxed);
    while (at != 0 && at != number) at = more(at).next.load(relaxed);
    if (at != 0 && more(number).transit.load(relaxed).count != 0) continue;
    if (at != 0) unlink(number);
    else more(number).of.store(0, std::memory_order_release);
  }
}

}  // namespace octavo
