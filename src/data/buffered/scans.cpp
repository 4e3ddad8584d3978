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
  latest_ = block;
  return step == std::exchange(step_, step) ? step : 0;
}

Scan::Behind Scan::writes(std::int64_t block) {
  if (block == written_) return {};
  const std::int64_t step = block - written_, before = std::exchange(written_, block);
  const bool even = step == std::exchange(write_step_, step);
  return {before, even ? block - 2 * step : -1};
}

Scan& Scans::of_this_thread() {
  const auto here = std::this_thread::get_id();
  if (const auto found = std::ranges::find(known_, here, &Scan::thread); found != known_.end()) return *found;
  if (known_.size() < most_threads) return known_.emplace_back(here);
  next_ = (next_ + 1) % most_threads;
  return known_[next_] = Scan(here);
}

}  // namespace octavo::detail
