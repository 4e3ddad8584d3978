// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/scans.hpp"

#include <algorithm>
#include <utility>

namespace octavo::detail {

namespace {
constexpr std::size_t most_threads = 64;
}  // namespace

std::int64_t Scan::looks_for(std::int64_t block) {
  if (block == latest_) return 0;
  const std::int64_t step = block - latest_;
  even_ = step == std::exchange(step_, step);
  latest_ = block;
  return even_ ? step : 0;
}

std::int64_t Scan::writes(std::int64_t block) {
  const std::int64_t before = std::exchange(written_, block);
  return before == block ? -1 : before;
}

Scan& Scans::of_this_thread() {
  const auto here = std::this_thread::get_id();
  if (const auto found = std::ranges::find(known_, here, &Scan::thread); found != known_.end()) return *found;
  if (known_.size() < most_threads) return known_.emplace_back(here);
  next_ = (next_ + 1) % most_threads;
  return known_[next_] = Scan(here);
}

}  // namespace octavo::detail
