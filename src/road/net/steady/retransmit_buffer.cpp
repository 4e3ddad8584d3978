// SPDX-License-Identifier: Apache-2.0
#include "road/net/steady/retransmit_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace octavo::road::steady {

std::size_t RetransmitBuffer::put(ByteView from, const Link::Owner& owner) {
  from = from.first(std::min(from.size(), room()));
  if (from.empty()) return 0;
  if (owner != nullptr) {
    const bool goes_on = !runs_.empty() && runs_.back().owner == owner && runs_.back().lent + (runs_.back().end - runs_.back().begin) == from.data();
    if (!goes_on) runs_.push_back({end_, end_, 0, from.data(), owner});
  } else {
    if (runs_.empty() || runs_.back().lent != nullptr) runs_.push_back({end_, end_, ring_end_, nullptr, nullptr});
    copy(from);
  }
  end_ = runs_.back().end += from.size();
  return from.size();
}

// All that is kept has room in the ring, were it copied: so what is copied never meets itself.
void RetransmitBuffer::copy(ByteView from) {
  const std::size_t at = place(ring_end_), first = std::min(from.size(), capacity_ - at);
  std::memcpy(bytes_.get() + at, from.data(), first);
  std::memcpy(bytes_.get(), from.data() + first, from.size() - first);
  ring_end_ += from.size();
}

RetransmitBuffer::Views RetransmitBuffer::view(std::uint64_t from, std::size_t size) const {
  Views views;
  std::size_t filled = 0;
  auto run = std::find_if(runs_.begin(), runs_.end(), [&](const Run& each) { return each.end > from; });
  for (; run != runs_.end() && size != 0; ++run) {
    const std::size_t n = std::min<std::size_t>(size, static_cast<std::size_t>(run->end - from)), within = static_cast<std::size_t>(from - run->begin);
    if (run->lent != nullptr) {
      views[filled++] = {run->lent + within, n};
    } else {
      const std::size_t at = place(run->in_ring + within), first = std::min(n, capacity_ - at);
      views[filled++] = {bytes_.get() + at, first};
      if (n != first) views[filled++] = {bytes_.get(), n - first};
    }
    from += n;
    size -= n;
    if (filled + 2 > views.size()) break;
  }
  return views;
}

bool RetransmitBuffer::confirm(std::uint64_t until) {
  if (until < confirmed_ || until > end_) return false;
  confirmed_ = until;
  while (!runs_.empty() && runs_.front().end <= until) runs_.pop_front();
  return true;
}

void RetransmitBuffer::own() {
  std::deque<Run> runs = std::move(runs_);
  runs_.clear();
  ring_end_ = 0;
  // What lies in the ring already may lie in the way of what is copied there: the ring is made anew.
  auto before = std::exchange(bytes_, std::make_unique_for_overwrite<std::byte[]>(capacity_));
  for (auto& run : runs) {
    const std::uint64_t skip = std::max(run.begin, confirmed_) - run.begin;
    const std::size_t n = static_cast<std::size_t>(run.end - run.begin - skip);
    if (runs_.empty()) runs_.push_back({run.begin + skip, run.begin + skip, ring_end_, nullptr, nullptr});
    if (run.lent != nullptr) {
      copy({run.lent + skip, n});
    } else {
      const std::size_t at = place(run.in_ring + skip), first = std::min(n, capacity_ - at);
      copy({before.get() + at, first});
      copy({before.get(), n - first});
    }
    runs_.back().end += n;
  }
}

}  // namespace octavo::road::steady
