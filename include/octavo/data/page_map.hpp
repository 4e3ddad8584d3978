// SPDX-License-Identifier: Apache-2.0
// Which device keeps a page, and under which number there.
//
//   octavo::PageMap map = octavo::PageMap::circulant({8, 8, 8}, 24);    // (i1 + i2 + i3) % 24, as in Givelberg 4.1
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

class PageMap {
 public:
  PageMap() = default;
  static PageMap circulant(const Shape& grid, std::int64_t devices);

  [[nodiscard]] PagePlace place_of(const Shape& page) const;
  [[nodiscard]] std::int64_t pages_per_device() const;
  [[nodiscard]] const Shape& grid() const noexcept { return grid_; }
  [[nodiscard]] std::int64_t devices() const noexcept { return devices_; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(grid_, devices_);
  }

 private:
  [[nodiscard]] std::int64_t row_slots() const;
  Shape grid_;
  std::int64_t devices_ = 1;
};

}  // namespace octavo
