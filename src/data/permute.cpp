// SPDX-License-Identifier: Apache-2.0
// copy_strided: first the axes are brought into the simplest form that means the same, then one of two loops runs over them.
#include "data/permute.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace octavo {

namespace {

struct Axis {
  std::int64_t extent, to, from;  // strides in bytes
};

struct Axes {
  std::array<Axis, max_dims + 1> list{};  // one more: the bytes of a large element
  int size = 0;
  Axis& operator[](int i) { return list[static_cast<std::size_t>(i)]; }
  const Axis& operator[](int i) const { return list[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Axis& back() const { return (*this)[size - 1]; }
  void push(const Axis& axis) { (*this)[size++] = axis; }
  void erase(int at) {
    for (int i = at; i + 1 < size; ++i) (*this)[i] = (*this)[i + 1];
    --size;
  }
};

// An element of up to this many bytes may be a run of several: tiles then still fit the first-level cache.
constexpr std::int64_t largest_element = 64;

// Drops extents of 1, writes upwards, the fastest axis of what is written last, and merges axes that are one on both sides.
Axes simplest(std::byte*& to, const Shape& to_strides, const std::byte*& from, const Shape& from_strides, const Shape& extents, std::int64_t& element_size) {
  Axes sorted;
  for (int i = 0; i < extents.size(); ++i) {
    if (extents[i] == 1) continue;
    Axis axis{extents[i], to_strides[i], from_strides[i]};
    if (axis.to < 0) {
      to += (axis.extent - 1) * axis.to, from += (axis.extent - 1) * axis.from;
      axis.to = -axis.to, axis.from = -axis.from;
    }
    sorted.push(axis);
  }
  if (element_size > largest_element) sorted.push({std::exchange(element_size, 1), 1, 1});
  std::stable_sort(sorted.list.begin(), sorted.list.begin() + sorted.size, [](const Axis& a, const Axis& b) { return a.to > b.to; });
  Axes merged;
  for (int i = 0; i < sorted.size; ++i) {
    const Axis& axis = sorted[i];
    if (merged.size > 0 && merged.back().to == axis.to * axis.extent && merged.back().from == axis.from * axis.extent)
      merged[merged.size - 1] = {merged.back().extent * axis.extent, axis.to, axis.from};
    else merged.push(axis);
  }
  return merged;
}

// Calls visit(to, from) for each index of `axes`.
template <class Visit>
void for_each_offset(const Axes& axes, std::byte* to, const std::byte* from, Visit&& visit) {
  std::array<std::int64_t, max_dims + 1> at{};
  for (;;) {
    visit(to, from);
    int i = axes.size - 1;
    for (; i >= 0; --i) {
      auto& now = at[static_cast<std::size_t>(i)];
      if (++now < axes[i].extent) {
        to += axes[i].to, from += axes[i].from;
        break;
      }
      to -= (axes[i].extent - 1) * axes[i].to, from -= (axes[i].extent - 1) * axes[i].from;
      now = 0;
    }
    if (i < 0) return;
  }
}

// Size 0: known at run time only.
template <std::size_t Size>
struct Element {
  std::size_t bytes;
  [[nodiscard]] std::size_t size() const { return Size ? Size : bytes; }
  void copy(std::byte* to, const std::byte* from) const { std::memcpy(to, from, size()); }
};

template <std::size_t Size>
void copy_row(Element<Size> element, std::byte* to, const std::byte* from, const Axis& axis) {
  auto size = static_cast<std::int64_t>(element.size());
  if (axis.to == size && axis.from == size) std::memcpy(to, from, static_cast<std::size_t>(axis.extent * size));
  else
    for (std::int64_t i = 0; i < axis.extent; ++i, to += axis.to, from += axis.from) element.copy(to, from);
}

// Two axes whose fastest sides differ: `row` is the fastest that is written, `column` the fastest that is read. A tile is gathered along
// the columns into a small dense buffer and written along the rows: each cache line is touched once on either side, and
// strides that are powers of two do not push each other out of the cache.
template <std::size_t Size>
void turn_tiles(Element<Size> element, std::byte* to, const std::byte* from, const Axis& row, const Axis& column) {
  constexpr std::size_t largest = Size ? Size : static_cast<std::size_t>(largest_element);
  constexpr std::int64_t tile = largest <= 16 ? 32 : 16;
  std::array<std::byte, static_cast<std::size_t>(tile * tile) * largest> buffer;
  for (std::int64_t c = 0; c < column.extent; c += tile) {
    std::int64_t columns = std::min(tile, column.extent - c);
    for (std::int64_t r = 0; r < row.extent; r += tile) {
      std::int64_t rows = std::min(tile, row.extent - r);
      std::byte* put = buffer.data();
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::byte* take = from + (r + i) * row.from + c * column.from;
        copy_row(element, put, take, Axis{columns, static_cast<std::int64_t>(element.size()), column.from});
        put += static_cast<std::size_t>(columns) * element.size();
      }
      for (std::int64_t k = 0; k < columns; ++k) {
        const std::byte* take = buffer.data() + static_cast<std::size_t>(k) * element.size();
        std::byte* out = to + (c + k) * column.to + r * row.to;
        for (std::int64_t i = 0; i < rows; ++i, out += row.to, take += static_cast<std::size_t>(columns) * element.size()) element.copy(out, take);
      }
    }
  }
}

template <std::size_t Size>
void copy_axes(Element<Size> element, std::byte* to, const std::byte* from, Axes axes) {
  Axis row = axes.back();
  --axes.size;
  int fastest = -1;  // of those that are read, faster than `row`
  for (int i = 0; i < axes.size; ++i)
    if (axes[i].from != 0 && std::abs(axes[i].from) < std::abs(fastest < 0 ? row.from : axes[fastest].from)) fastest = i;
  if (fastest < 0) return for_each_offset(axes, to, from, [&](std::byte* out, const std::byte* in) { copy_row(element, out, in, row); });
  Axis column = axes[fastest];
  axes.erase(fastest);
  for_each_offset(axes, to, from, [&](std::byte* out, const std::byte* in) { turn_tiles(element, out, in, row, column); });
}

}  // namespace

void copy_strided(std::byte* to, const Shape& to_strides, const std::byte* from, const Shape& from_strides, const Shape& extents, std::int64_t element_size) {
  for (auto extent : extents)
    if (extent <= 0) return;
  Axes axes = simplest(to, to_strides, from, from_strides, extents, element_size);
  // A short run on both sides is one larger element: what is left may need turning.
  if (axes.size > 0 && axes.back().to == element_size && axes.back().from == element_size && axes.back().extent * element_size <= largest_element)
    element_size *= axes.list[static_cast<std::size_t>(--axes.size)].extent;
  if (axes.size == 0) {
    std::memcpy(to, from, static_cast<std::size_t>(element_size));
    return;
  }
  switch (element_size) {
    case 1: return copy_axes(Element<1>{1}, to, from, axes);
    case 2: return copy_axes(Element<2>{2}, to, from, axes);
    case 4: return copy_axes(Element<4>{4}, to, from, axes);
    case 8: return copy_axes(Element<8>{8}, to, from, axes);
    case 16: return copy_axes(Element<16>{16}, to, from, axes);
    default: return copy_axes(Element<0>{static_cast<std::size_t>(element_size)}, to, from, axes);
  }
}

}  // namespace octavo
