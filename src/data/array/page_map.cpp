// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/page_map.hpp"

#include "octavo/base/error.hpp"

namespace octavo {

PageMap::PageMap(map_kind kind, const Shape& grid, std::int64_t devices, std::int64_t block) : kind_(kind), grid_(grid), devices_(devices), block_(block) {
  if (devices < 1) throw usage_error("an array needs at least one device, not " + std::to_string(devices));
  if (block < 1) throw usage_error("a block-cyclic map with blocks of " + std::to_string(block) + " pages", "A block has at least 1 page");
  if (std::int64_t per_round = 0; __builtin_mul_overflow(block, devices, &per_round))
    throw usage_error("a block-cyclic map with blocks of " + std::to_string(block) + " pages on " + std::to_string(devices) + " devices",
                      "Choose smaller blocks: one that holds the whole grid uses one device only");
}

// Along the last axis a device has every devices-th page: this many places of each row hold them, whatever the row's shift.
std::int64_t PageMap::row_slots() const { return (grid_[grid_.size() - 1] + devices_ - 1) / devices_; }

PagePlace PageMap::place_of(const Shape& page) const {
  if (page.size() != grid_.size() || grid_.size() == 0) throw usage_error("page (" + page.text() + ") of a grid of " + grid_.text());
  int last = grid_.size() - 1;
  std::int64_t sum = 0, row = 0;
  for (int i = 0; i <= last; ++i) {
    if (page[i] < 0 || page[i] >= grid_[i]) throw usage_error("page (" + page.text() + ") of a grid of " + grid_.text());
    sum += page[i];
    if (i < last) row = row * grid_[i] + page[i];
  }
  if (kind_ == map_kind::circulant) return {sum % devices_, row * row_slots() + page[last] / devices_};
  std::int64_t number = row * grid_[last] + page[last], round = number / (block_ * devices_);
  return {number / block_ % devices_, round * block_ + number % block_};
}

std::int64_t PageMap::pages_per_device() const {
  if (grid_.size() == 0) return 0;
  if (kind_ == map_kind::circulant) return grid_.count(0, grid_.size() - 1) * row_slots();
  std::int64_t per_round = block_ * devices_, pages = grid_.count();
  return (pages / per_round + (pages % per_round != 0)) * block_;
}

}  // namespace octavo
