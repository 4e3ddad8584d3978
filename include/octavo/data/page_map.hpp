// SPDX-License-Identifier: Apache-2.0
// Which device keeps a page, and under which number there.
//
//   octavo::PageMap map = octavo::PageMap::circulant({8, 8, 8}, 24);    // (i1 + i2 + i3) % 24, as in Givelberg 4.1
//   octavo::PageMap rows = octavo::PageMap::block_cyclic({8, 8, 8}, 24, 4);   // pages in C order, dealt out by fours
//   PageMap own = PageMap::computed({8, 8, 8}, 24, [](const Shape& page) { return PagePlace{page[0] % 24, page[1] * 8 + page[2]}; });
//   auto [device, index] = map.place_of({1, 2, 3});
//
// A value that travels, and is saved with an array that has a name. No two pages of the grid share a place; indices are below pages_per_device().
// The kinds of the library are computed at each look. A map of your own, a table or a function, is asked once for each page, where it is made: what
// travels is its table (16 bytes a page), so that processes of any program can use it. Failure: usage_error, also for two pages at one place.
#pragma once

#include <concepts>
#include <memory>
#include <vector>

#include "octavo/data/box.hpp"

namespace octavo {

struct PagePlace {
  std::int64_t device = 0, index = 0;
  bool operator==(const PagePlace&) const = default;
};

// Circulant: pages that are neighbours along any axis lie on different disks, so a box of any form keeps all disks busy. Block-cyclic: `block`
// pages that follow each other lie on one disk next to each other. Any: each device has all pages, and is asked in turn as by the circulant map;
// for an array that several servers decode. Table: as it was given.
enum class map_kind : std::uint8_t { circulant, block_cyclic, any, table };

class PageMap final {
 public:
  PageMap() = default;
  static PageMap circulant(const Shape& grid, std::int64_t devices) { return PageMap(map_kind::circulant, grid, devices); }
  static PageMap block_cyclic(const Shape& grid, std::int64_t devices, std::int64_t block) { return PageMap(map_kind::block_cyclic, grid, devices, block); }
  // The extremes of block_cyclic: as many pages as a device has one after the other, and one.
  static PageMap in_blocks(const Shape& grid, std::int64_t devices);
  static PageMap round_robin(const Shape& grid, std::int64_t devices) { return block_cyclic(grid, devices, 1); }
  // The places of the grid's pages, in C order.
  static PageMap table(const Shape& grid, std::int64_t devices, std::vector<PagePlace> places);
  template <std::invocable<const Shape&> F>
  static PageMap computed(const Shape& grid, std::int64_t devices, const F& place_of) {
    std::vector<PagePlace> places;
    places.reserve(static_cast<std::size_t>(grid.count()));
    for (std::int64_t page = 0; page < grid.count(); ++page) places.push_back(place_of(unflatten(page, grid)));
    return table(grid, devices, std::move(places));
  }
  // Of a kind that is computed.
  PageMap(map_kind kind, const Shape& grid, std::int64_t devices, std::int64_t block = 1);

  [[nodiscard]] PagePlace place_of(const Shape& page) const;
  [[nodiscard]] std::int64_t pages_per_device() const;
  [[nodiscard]] const Shape& grid() const noexcept { return grid_; }
  [[nodiscard]] std::int64_t devices() const noexcept { return devices_; }
  [[nodiscard]] map_kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::int64_t block() const noexcept { return block_; }
  template <class Archive>
  void save(Archive& archive) const {
    archive(kind_, grid_, devices_, block_);
    if (kind_ == map_kind::table) archive(*table_);
    else archive(std::vector<PagePlace>());
  }
  template <class Archive>
  void load(Archive& archive) {
    std::vector<PagePlace> places;
    archive(kind_, grid_, devices_, block_, places);
    take(std::move(places));
  }

 private:
  void take(std::vector<PagePlace> places);  // what came, which may be a damaged message
  [[nodiscard]] int dealt_axis() const;
  [[nodiscard]] Shape local_grid() const;
  map_kind kind_ = map_kind::circulant;
  Shape grid_;
  std::int64_t devices_ = 1, block_ = 1;
  std::shared_ptr<const std::vector<PagePlace>> table_;  // of that kind; never changed
};

}  // namespace octavo
