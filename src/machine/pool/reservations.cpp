// SPDX-License-Identifier: Apache-2.0
// Room that jobs take for all of their pages before they begin (P-5).
#include <numeric>

#include "machine/pool/room.hpp"
#include "machine/pool/shared_futex.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

bool Pool::reserve(std::int64_t bytes, road::Deadline deadline) {
  if (bytes < 0 || bytes > header_->bytes)
    throw refused("room for " + format_bytes(bytes) + " cannot be reserved in the pool of " + format_bytes(header_->bytes),
                  "Ask for less, or give the Runtime more memory");
  for (;;) {
    const std::uint32_t freed = header_->freed.load(std::memory_order_seq_cst);
    if (try_reserve(bytes)) return true;
    if (!sleep_on(header_->freed, freed, deadline)) return false;
  }
}

bool Pool::try_reserve(std::int64_t bytes) {
  const Lock lock(*this);
  const auto others = std::accumulate(header_->reserved.begin(), header_->reserved.end(), std::int64_t{0},
                                      [](std::int64_t sum, const auto& each) { return sum + each.load(std::memory_order_relaxed); });
  if (others + bytes > header_->bytes) return false;
  auto& mine = header_->reserved[slot_];
  mine.store(mine.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  return true;
}

void Pool::end_reservation(std::int64_t bytes) noexcept {
  {
    const Lock lock(*this);
    auto& mine = header_->reserved[slot_];
    mine.store(mine.load(std::memory_order_relaxed) - bytes, std::memory_order_relaxed);
  }
  tell_of_room();
}

}  // namespace octavo
