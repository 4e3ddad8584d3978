// SPDX-License-Identifier: Apache-2.0
// Room that a job takes for all of its pages before it begins (P-5).
//
//   auto room = Pool::Reservation::make(pool, plan.memory.pool, soon);   // null: others have it still
//
// Threading: any. Failure: refused for more than the whole pool.
#pragma once

#include <memory>

#include "octavo/base/no_copy.hpp"
#include "octavo/machine/pool.hpp"

namespace octavo {

class Pool::Reservation : NoCopy {
 public:
  static std::unique_ptr<Reservation> make(const std::shared_ptr<Pool>& pool, std::int64_t bytes, road::Deadline deadline);
  ~Reservation();

 private:
  Reservation(std::shared_ptr<Pool> pool, std::int64_t bytes) noexcept : pool_(std::move(pool)), bytes_(bytes) {}
  static bool try_take(const Pool& pool, std::int64_t bytes);

  const std::shared_ptr<Pool> pool_;
  const std::int64_t bytes_;
};

}  // namespace octavo
