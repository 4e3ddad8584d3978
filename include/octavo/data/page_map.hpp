// SPDX-License-Identifier: Apache-2.0
// Which device keeps a page, and under which number there.
//
//   octavo::PageMap map = octavo::PageMap::circulant({8, 8, 8}, 24);    // (i1 + i2 + i3) % 24, as in Givelberg 4.1
//   octavo::PageMap rows = octavo::PageMap::block_cyclic({8, 8, 8}, 24, 4);   // pages in C order, dealt out by fours
//   auto [device, index] = map.place_of({1, 2, 3});
//
// Computed, never stored; a value that travels. No two pages of the grid share a place; indices are below pages_per_device().
#pragma once

#include "octavo/data/box.hpp"

namespace octavo {

struct PagePlace {
  std::int64_t device = 0, index = 0;
  bool operator==(const PagePlace&) const = default;
};

// Circulant: pages that are neighbours along any axis lie on different disks, so a box of any form keeps all disks busy. Block-cyclic: `block`
// pages that follow each other lie on one disk next to each other. Any: each device has all pages, and is asked in turn as by the circulant map;
// for an array that several servers decode.
enum class map_kind : std::uint8_t { circulant, block_cyclic, any };

class PageMap final {
 public:
  PageMap() = default;
  static PageMap circulant(const Shape& grid, std::int64_t devices) { return PageMap(map_kind::circulant, grid, devices); }
  static PageMap block_cyclic(const Shape& grid, std::int64_t devices, std::int64_t block) { return PageMap(map_kind::block_cyclic, grid, devices, block); }
  PageMap(map_kind kind, const Shape& grid, std::int64_t devices, std::int64_t block = 1);

  [[nodiscard]] PagePlace place_of(const Shape& page) const;
  [[nodiscard]] std::int64_t pages_per_device() const;
  [[nodiscard]] const Shape& grid() const noexcept { return grid_; }
  [[nodiscard]] std::int64_t devices() const noexcept { return devices_; }
  [[nodiscard]] map_kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::int64_t block() const noexcept { return block_; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(kind_, grid_, devices_, block_);
    if (devices_ < 1 || block_ < 1 || block_ > INT64_MAX / devices_) devices_ = block_ = 1;  // a damaged message
  }

 private:
  [[nodiscard]] int dealt_axis() const;
  [[nodiscard]] Shape local_grid() const;
  map_kind kind_ = map_kind::circulant;
  Shape grid_;
  std::int64_t devices_ = 1, block_ = 1;
};

}  // namespace octavo
