// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/page_map.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"

namespace octavo {

PageMap::PageMap(map_kind kind, const Shape& grid, std::int64_t devices, std::int64_t block) : kind_(kind), grid_(grid), devices_(devices), block_(block) {
  if (devices < 1) throw usage_error("an array needs at least one device, not " + std::to_string(devices));
  if (block < 1) throw usage_error("a block-cyclic map with blocks of " + std::to_string(block) + " pages", "A block has at least 1 page");
  if (std::int64_t per_round = 0; __builtin_mul_overflow(block, devices, &per_round))
    throw usage_error("a block-cyclic map with blocks of " + std::to_string(block) + " pages on " + std::to_string(devices) + " devices",
                      "Choose smaller blocks: one that holds the whole grid uses one device only");
}

// Along any axis a device has every devices-th page, whatever the row's shift. Along the longest one the fewest places stay empty.
int PageMap::dealt_axis() const { return static_cast<int>(std::max_element(grid_.begin(), grid_.end()) - grid_.begin()); }

Shape PageMap::local_grid() const {
  Shape local = grid_;
  std::int64_t& extent = local[dealt_axis()];
  extent = (extent + devices_ - 1) / devices_;
  return local;
}

PagePlace PageMap::place_of(const Shape& page) const {
  if (page.size() != grid_.size() || grid_.size() == 0) throw usage_error("page (" + page.text() + ") of a grid of " + grid_.text());
  std::int64_t sum = 0;
  for (int i = 0; i < grid_.size(); ++i) {
    if (page[i] < 0 || page[i] >= grid_[i]) throw usage_error("page (" + page.text() + ") of a grid of " + grid_.text());
    sum += page[i];
  }
  if (kind_ == map_kind::any) return {sum % devices_, flatten(page, grid_)};
  if (kind_ == map_kind::circulant) {
    Shape local = page;
    local[dealt_axis()] /= devices_;
    return {sum % devices_, flatten(local, local_grid())};
  }
  std::int64_t number = flatten(page, grid_), round = number / (block_ * devices_);
  return {number / block_ % devices_, round * block_ + number % block_};
}

std::int64_t PageMap::pages_per_device() const {
  if (grid_.size() == 0) return 0;
  if (kind_ == map_kind::any) return grid_.count();
  if (kind_ == map_kind::circulant) return local_grid().count();
  std::int64_t per_round = block_ * devices_, pages = grid_.count();
  return (pages / per_round + (pages % per_round != 0)) * block_;
}

}  // namespace octavo
