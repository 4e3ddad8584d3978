// SPDX-License-Identifier: Apache-2.0
// Shapes and boxes of N-D arrays (N up to 8), in C order: the last axis varies fastest.
//
//   octavo::Shape shape{1024, 512, 512};  shape.count() == 268435456;
//   octavo::Box slab{{0, 0, 0}, {16, 512, 512}};  slab.extents() == octavo::Shape{16, 512, 512};
//
// Values; nothing here allocates. Too many dimensions or a negative extent throw usage_error.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

namespace octavo {

inline constexpr int max_dims = 8;

// Also used for an index and for strides: up to 8 integers.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> values) : Shape(std::span(values.begin(), values.size())) {}
  explicit Shape(std::span<const std::int64_t> values);
  static Shape filled(int size, std::int64_t value);

  [[nodiscard]] int size() const noexcept { return size_; }
  std::int64_t& operator[](int axis) noexcept { return values_[static_cast<std::size_t>(axis)]; }
  std::int64_t operator[](int axis) const noexcept { return values_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] const std::int64_t* begin() const noexcept { return values_.data(); }
  [[nodiscard]] const std::int64_t* end() const noexcept { return values_.data() + size_; }
  // Product of all values; of those in [first, last). 1 for none. Throws usage_error where it leaves 63 bits.
  [[nodiscard]] std::int64_t count() const { return count(0, size_); }
  [[nodiscard]] std::int64_t count(int first, int last) const;
  void push_back(std::int64_t value);
  [[nodiscard]] std::string text() const;  // "1024 x 512 x 512"; "()" for none

  bool operator==(const Shape& other) const noexcept { return std::equal(begin(), end(), other.begin(), other.end()); }
  // As many values as there are: a shape is part of every request to a device.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(size_);
    if (size_ < 0 || size_ > max_dims) refuse_size();
    for (int i = 0; i < size_; ++i) archive((*this)[i]);
  }

 private:
  [[noreturn]] void refuse_size();  // of a damaged message
  std::array<std::int64_t, max_dims> values_{};
  int size_ = 0;
};

// Half-open: lo <= index < hi on each axis.
struct Box {
  Shape lo, hi;

  static Box whole(const Shape& shape) { return {Shape::filled(shape.size(), 0), shape}; }
  [[nodiscard]] int dims() const noexcept { return lo.size(); }
  [[nodiscard]] Shape extents() const;
  [[nodiscard]] std::int64_t count() const { return extents().count(); }
  [[nodiscard]] bool empty() const;
  [[nodiscard]] Box intersect(const Box& other) const;  // empty (lo == hi somewhere) where they do not meet
  [[nodiscard]] Box shifted(const Shape& by, int sign = 1) const;
  [[nodiscard]] bool contains(const Box& other) const;
  [[nodiscard]] std::string text() const;  // "[0:16, 0:512, 0:512]"
  bool operator==(const Box&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(lo, hi);
    check_dims();
  }

 private:
  void check_dims() const;  // io_error where lo and hi differ, in a damaged message
};

// Strides of a dense C-order array, in elements.
Shape dense_strides(const Shape& shape);
// ceil(shape / tile) on each axis.
Shape grid_of(const Shape& shape, const Shape& tile);
// C-order position of `index` in `grid`, and back.
std::int64_t flatten(const Shape& index, const Shape& grid);
Shape unflatten(std::int64_t position, const Shape& grid);
// Calls visit(Shape index) for each index of `grid` in C order.
template <class Visit>
void for_each_index(const Shape& grid, Visit&& visit) {
  for (std::int64_t i = 0, n = grid.count(); i < n; ++i) visit(unflatten(i, grid));
}

// How many pages of `page` elements `box` meets. Pages lie side by side from index 0 on; `box` has no negative index.
std::int64_t count_tiles(const Box& box, const Shape& page);
// Calls visit(const Shape& page_index, const Box& tile) for each of them in C order; tile = box ∩ page.
template <class Visit>
void for_each_tile(const Box& box, const Shape& page, Visit&& visit) {
  if (box.empty()) return;
  // Enters the first page on an axis; what is left of it counts, so that no page's end is computed that could overflow.
  auto begin = [&](Shape& index, Box& tile, int axis) {
    index[axis] = box.lo[axis] / page[axis];
    tile.lo[axis] = box.lo[axis];
    tile.hi[axis] = box.lo[axis] + std::min(box.hi[axis] - box.lo[axis], page[axis] - box.lo[axis] % page[axis]);
  };
  Shape index = box.lo;
  Box tile = box;
  for (int axis = 0; axis < box.dims(); ++axis) begin(index, tile, axis);
  for (;;) {
    visit(std::as_const(index), std::as_const(tile));
    int axis = box.dims() - 1;
    for (; axis >= 0 && tile.hi[axis] == box.hi[axis]; --axis) begin(index, tile, axis);
    if (axis < 0) return;
    ++index[axis];
    tile.lo[axis] = tile.hi[axis];
    tile.hi[axis] += std::min(box.hi[axis] - tile.hi[axis], page[axis]);
  }
}

}  // namespace octavo
