// SPDX-License-Identifier: Apache-2.0
#include "machine/pool/reservation.hpp"

#include <numeric>

#include "machine/pool/room.hpp"
#include "machine/pool/shared_futex.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

std::unique_ptr<Pool::Reservation> Pool::Reservation::make(const std::shared_ptr<Pool>& pool, std::int64_t bytes, road::Deadline deadline) {
  auto& header = *pool->header_;
  if (bytes < 0 || bytes > header.bytes)
    throw refused("room for " + format_bytes(bytes) + " cannot be reserved in the pool of " + format_bytes(header.bytes),
                  "Ask for less, or give the Runtime more memory");
  for (;;) {
    const std::uint32_t freed = header.freed.load(std::memory_order_seq_cst);
    if (try_take(*pool, bytes)) return std::unique_ptr<Reservation>(new Reservation(pool, bytes));
    if (!sleep_on(header.freed, freed, deadline)) return nullptr;
  }
}

bool Pool::Reservation::try_take(const Pool& pool, std::int64_t bytes) {
  const Lock lock(pool);
  auto& reserved = pool.header_->reserved;
  const auto others = std::accumulate(reserved.begin(), reserved.end(), std::int64_t{0},
                                      [](std::int64_t sum, const auto& each) { return sum + each.load(std::memory_order_relaxed); });
  if (others + bytes > pool.header_->bytes) return false;
  auto& mine = reserved[pool.slot_];
  mine.store(mine.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  return true;
}

Pool::Reservation::~Reservation() {
  {
    const Lock lock(*pool_);
    auto& mine = pool_->header_->reserved[pool_->slot_];
    mine.store(mine.load(std::memory_order_relaxed) - bytes_, std::memory_order_relaxed);
  }
  pool_->tell_of_room();
}

}  // namespace octavo
