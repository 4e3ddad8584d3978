// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/page_map.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"

namespace octavo {

namespace {
constexpr std::int64_t most_pages = std::int64_t{1} << 48;  // so that no offset of one leaves 63 bits
}

PageMap::PageMap(map_kind kind, const Shape& grid, std::int64_t devices, std::int64_t block) : kind_(kind), grid_(grid), devices_(devices), block_(block) {
  if (kind == map_kind::table) throw usage_error("a map of kind table without its places", "Use PageMap::table or PageMap::computed");
  if (devices < 1) throw usage_error("an array needs at least one device, not " + std::to_string(devices));
  if (block < 1) throw usage_error("a block-cyclic map with blocks of " + std::to_string(block) + " pages", "A block has at least 1 page");
  if (std::int64_t per_round = 0; __builtin_mul_overflow(block, devices, &per_round))
    throw usage_error("a block-cyclic map with blocks of " + std::to_string(block) + " pages on " + std::to_string(devices) + " devices",
                      "Choose smaller blocks: one that holds the whole grid uses one device only");
}

PageMap PageMap::in_blocks(const Shape& grid, std::int64_t devices) {
  const std::int64_t pages = std::max<std::int64_t>(1, grid.count()), each = devices < 1 ? 1 : pages / devices + (pages % devices != 0);
  return block_cyclic(grid, devices, each);
}

namespace {

// What is wrong with them; empty: nothing.
std::string wrong_with(const std::vector<PagePlace>& places, const Shape& grid, std::int64_t devices) {
  if (static_cast<std::int64_t>(places.size()) != grid.count())
    return std::to_string(places.size()) + " places for a grid of " + std::to_string(grid.count()) + " pages";
  for (const auto& place : places)
    if (place.device < 0 || place.device >= devices || place.index < 0 || place.index > most_pages)
      return "page " + std::to_string(place.index) + " of device " + std::to_string(place.device) + ", of " + std::to_string(devices) + " devices";
  auto sorted = places;
  std::ranges::sort(sorted, {}, [](const PagePlace& place) { return std::pair(place.device, place.index); });
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) return "two pages at place " + std::to_string(twice->index) + " of device " + std::to_string(twice->device);
  return {};
}

}  // namespace

PageMap PageMap::table(const Shape& grid, std::int64_t devices, std::vector<PagePlace> places) {
  PageMap map(map_kind::circulant, grid, devices);
  if (const auto wrong = wrong_with(places, grid, devices); !wrong.empty())
    throw usage_error("a table of pages has " + wrong, "Give each page of the grid, in C order, a place of its own");
  map.kind_ = map_kind::table;
  map.table_ = std::make_shared<const std::vector<PagePlace>>(std::move(places));
  return map;
}

void PageMap::take(std::vector<PagePlace> places) {
  if (devices_ < 1 || block_ < 1 || block_ > INT64_MAX / devices_) devices_ = block_ = 1;
  table_.reset();
  if (kind_ == map_kind::table) *this = table(grid_, devices_, std::move(places));
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
  if (kind_ == map_kind::table) return (*table_)[static_cast<std::size_t>(flatten(page, grid_))];
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
  if (kind_ == map_kind::table) return table_->empty() ? 0 : 1 + std::ranges::max(*table_, {}, &PagePlace::index).index;
  if (kind_ == map_kind::circulant) return local_grid().count();
  std::int64_t per_round = block_ * devices_, pages = grid_.count();
  return (pages / per_round + (pages % per_round != 0)) * block_;
}

}  // namespace octavo
