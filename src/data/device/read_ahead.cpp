// SPDX-License-Identifier: Apache-2.0
#include "data/device/read_ahead.hpp"

#include <algorithm>

namespace octavo {

bool ReadAhead::wants(const Box& place, dtype as) {
  std::int64_t bytes = place.count() * size_of(as);
  if (bytes > limit_ || is_written(place)) return false;
  for (const auto& part : parts_)
    if (part.place == place && part.as == as) return false;
  while (kept_ + bytes > limit_) {
    kept_ -= parts_.front().bytes;
    parts_.pop_front();
  }
  return true;
}

void ReadAhead::keep(const Box& place, dtype as, future<ArrayPage> page) {
  std::int64_t bytes = place.count() * size_of(as);
  kept_ += bytes;
  parts_.push_back({place, as, bytes, std::move(page)});
}

std::optional<future<ArrayPage>> ReadAhead::take(const Box& place, dtype as) {
  for (auto at = parts_.begin(); at != parts_.end(); ++at) {
    if (!(at->place == place) || at->as != as) continue;
    auto page = std::move(at->page);
    kept_ -= at->bytes;
    parts_.erase(at);
    return page;
  }
  return std::nullopt;
}

void ReadAhead::forget(const Box& written) {
  parts_.remove_if([&](const Part& part) {
    if (part.place.intersect(written).empty()) return false;
    kept_ -= part.bytes;
    return true;
  });
}

void ReadAhead::write_begins(const Box& written) {
  forget(written);
  std::lock_guard lock(mutex_);
  written_.push_back(written);
}

void ReadAhead::write_ended(const Box& written) noexcept {
  std::lock_guard lock(mutex_);
  written_.erase(std::ranges::find(written_, written));
}

bool ReadAhead::is_written(const Box& place) {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(written_, [&](const Box& each) { return !each.intersect(place).empty(); });
}

}  // namespace octavo
