// SPDX-License-Identifier: Apache-2.0
// Where the parts of a box are, and the moves of single parts.
#include "data/array/attended.hpp"
#include "data/array/checked_grid.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

Shape checked_grid(const Shape& shape, const Shape& page) {
  auto what = [&] { return "an array of shape " + shape.text() + " with pages of " + page.text(); };
  if (page.size() != shape.size()) throw usage_error(what());
  for (int i = 0; i < shape.size(); ++i)
    if (shape[i] < 1 || page[i] < 1) throw usage_error(what(), "Every extent must be at least 1");
  return grid_of(shape, page);
}

Array::Array(const Shape& shape, const Shape& page, dtype type, std::vector<remote_ptr<PageDevice>> devices)
    : shape_(shape), page_(page), type_(type), devices_(std::move(devices)) {
  map_ = PageMap::circulant(checked_grid(shape, page), static_cast<std::int64_t>(devices_.size()));
}

Array::Array(const Shape& shape, const Shape& page, dtype type, std::vector<remote_ptr<PageDevice>> devices, const PageMap& map)
    : shape_(shape), page_(page), type_(type), devices_(std::move(devices)), map_(map) {
  Shape grid = checked_grid(shape, page);
  if (!(map.grid() == grid) || map.devices() != static_cast<std::int64_t>(devices_.size()))
    throw usage_error("an array of " + grid.text() + " pages on " + std::to_string(devices_.size()) + " devices with a map of " + map.grid().text() +
                          " pages on " + std::to_string(map.devices()),
                      "Make the map with grid_of(shape, page) and the number of devices");
}

void Array::check(const Box& box) const {
  if (box.dims() != shape_.size() || devices_.empty() || box.empty() || !Box::whole(shape_).contains(box))
    throw usage_error("box " + box.text() + " of an array of shape " + shape_.text(), "A box lies within the array and is not empty");
}

Array::TileLocation Array::location_of(const Shape& page_index, const Box& tile) const {
  if (shape_.size() == 0) return {tile, tile, devices_.at(0), 0};  // one element, which no map deals out
  Shape corner = page_index;
  for (int i = 0; i < corner.size(); ++i) corner[i] *= page_[i];
  auto place = map_.place_of(page_index);
  if (place.device >= static_cast<std::int64_t>(devices_.size()))  // only an array that was damaged on its way
    throw usage_error("device " + std::to_string(place.device) + " of an array on " + std::to_string(devices_.size()) + " devices");
  return {tile, tile.shifted(corner, -1), devices_[static_cast<std::size_t>(place.device)], place.index};
}

std::vector<Array::TileLocation> Array::locations_of(const Box& box) const {
  check(box);
  std::vector<TileLocation> places;
  places.reserve(static_cast<std::size_t>(count_tiles(box, page_)));
  for_each_tile(box, page_, [&](const Shape& page, const Box& tile) { places.push_back(location_of(page, tile)); });
  return places;
}

std::vector<TileFuture> Array::start_read(const Box& box, dtype as) const {
  std::vector<TileFuture> tiles;
  for (const auto& place : locations_of(box)) tiles.push_back({place.box, start(place.device)->read(place.page, place.part, as)});
  return tiles;
}

future<void> Array::start_write(const Box& box, ArrayPage block) const {  // NOLINT(performance-unnecessary-value-param): it is moved on
  auto places = locations_of(box);
  if (places.size() != 1) throw usage_error("box " + box.text() + " lies in " + std::to_string(places.size()) + " pages", "Write each page's part on its own");
  return start(places[0].device)->write(std::move(block), places[0].page, places[0].part);
}

void Array::prefetch(const Box& box, dtype as) const {
  for (const auto& place : locations_of(box)) auto detached = start(place.device)->prefetch(place.page, place.part, as);
}

void Array::flush(const Attend& attend) const {
  std::vector<future<void>> flushed;
  flushed.reserve(devices_.size());
  for (const auto& device : devices_) flushed.push_back(start(device)->flush());
  std::exception_ptr first;
  for (auto& each : flushed) {
    wait_attended(each, attend);
    try {  // a device tells its error once
      each.get();
    } catch (const std::exception& e) {
      if (first) log_line(std::string("flushing an array, besides the error that is raised: ") + e.what());
      else first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace octavo
