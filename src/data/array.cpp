// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/array.hpp"

#include "data/box_copy.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

Array::Array(const Shape& shape, const Shape& page, dtype type, std::vector<remote_ptr<PageDevice>> devices)
    : shape_(shape), page_(page), type_(type), devices_(std::move(devices)) {
  if (shape.size() == 0 || page.size() != shape.size()) throw usage_error("an array of shape " + shape.text() + " with pages of " + page.text());
  for (int i = 0; i < shape.size(); ++i)
    if (shape[i] < 1 || page[i] < 1)
      throw usage_error("an array of shape " + shape.text() + " with pages of " + page.text(), "Every extent must be at least 1");
  map_ = PageMap::circulant(grid_of(shape, page), static_cast<std::int64_t>(devices_.size()));
}

std::vector<Array::Place> Array::places_of(const Box& box) const {
  if (box.dims() != shape_.size() || box.empty() || !Box::whole(shape_).contains(box))
    throw usage_error("box " + box.text() + " of an array of shape " + shape_.text(), "A box lies within the array and is not empty");
  Box pages;
  for (int i = 0; i < box.dims(); ++i) {
    pages.lo.push_back(box.lo[i] / page_[i]);
    pages.hi.push_back((box.hi[i] - 1) / page_[i] + 1);
  }
  std::vector<Place> places;
  for_each_index(pages.extents(), [&](Shape index) {
    Box page;
    for (int i = 0; i < index.size(); ++i) {
      index[i] += pages.lo[i];
      page.lo.push_back(index[i] * page_[i]);
      page.hi.push_back((index[i] + 1) * page_[i]);
    }
    Box meet = box.intersect(page);
    auto place = map_.place_of(index);
    places.push_back({meet, meet.shifted(page.lo, -1), devices_[static_cast<std::size_t>(place.device)], place.index});
  });
  return places;
}

std::vector<TileFuture> Array::start_read(const Box& box, dtype as) const {
  std::vector<TileFuture> tiles;
  for (const auto& place : places_of(box)) tiles.push_back({place.box, start(place.device)->read(place.page, place.part, as)});
  return tiles;
}

future<void> Array::start_write(const Box& box, ArrayPage block) const {  // NOLINT(performance-unnecessary-value-param): it is moved on
  auto places = places_of(box);
  if (places.size() != 1) throw usage_error("box " + box.text() + " lies in " + std::to_string(places.size()) + " pages", "Write each page's part on its own");
  return start(places[0].device)->write(std::move(block), places[0].page, places[0].part);
}

void Array::prefetch(const Box& box, dtype as) const {
  for (const auto& place : places_of(box)) auto detached = start(place.device)->prefetch(place.page, place.part, as);
}

ArrayPage Array::read(const Box& box) const {
  auto tiles = start_read(box, type_);
  if (tiles.size() == 1) return tiles[0].block.get();
  ArrayPage whole(type_, box.extents());
  for (auto& tile : tiles) {
    ArrayPage block = tile.block.get();
    copy_box(block, Shape::filled(box.dims(), 0), whole, tile.box.shifted(box.lo, -1).lo, block.shape());
  }
  return whole;
}

void Array::write(const Box& box, const ArrayPage& block) const {
  if (block.shape() != box.extents()) throw usage_error("a block of " + block.shape().text() + " was written to the box " + box.text());
  std::vector<future<void>> written;
  for (const auto& place : places_of(box)) {
    ArrayPage part(block.type(), place.box.extents());
    copy_box(block, place.box.shifted(box.lo, -1).lo, part, Shape::filled(box.dims(), 0), part.shape());
    written.push_back(start(place.device)->write(std::move(part), place.page, place.part));
  }
  for (auto& each : written) each.get();
}

void Array::flush() const {
  std::vector<future<void>> flushed;
  for (const auto& device : devices_) flushed.push_back(start(device)->flush());
  for (auto& each : flushed) each.get();
}

}  // namespace octavo
