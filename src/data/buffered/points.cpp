// SPDX-License-Identifier: Apache-2.0
// Single elements anywhere in the array, in the order of their blocks: each block is brought once, whatever order the user has.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "data/buffered/buffers.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

struct Points {
  std::vector<Position> at;
  std::vector<std::int64_t> order;  // by block; two of one block as they were given
};

// `indices`: all along the first axis, then all along the next.
Points sorted(const BlockGrid& grid, const std::array<BlockAxis, max_dims>& axes, std::span<const std::int64_t> indices, std::int64_t count) {
  const BlockTable table{nullptr, nullptr, axes};
  Points points{std::vector<Position>(static_cast<std::size_t>(count)), std::vector<std::int64_t>(static_cast<std::size_t>(count))};
  for (int axis = 0; axis < grid.shape.size(); ++axis) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t index = indices[static_cast<std::size_t>(axis * count + i)];
      if (index < 0 || index >= grid.shape[axis])
        throw usage_error("index " + std::to_string(index) + " along axis " + std::to_string(axis) + " of an array of " + grid.shape.text() + " elements");
      auto& at = points.at[static_cast<std::size_t>(i)];
      at = table.along(axis, index, at);
    }
  }
  std::iota(points.order.begin(), points.order.end(), 0);
  auto by_block = [&](std::int64_t i) { return points.at[static_cast<std::size_t>(i)].block; };
  if (!std::ranges::is_sorted(points.order, {}, by_block)) std::ranges::stable_sort(points.order, {}, by_block);
  return points;
}

}  // namespace

void Buffers::Impl::points(std::span<const std::int64_t> indices, std::int64_t count, std::byte* memory, bool writing) {
  const Points points = sorted(grid, grid.axes(), indices, count);
  const auto size = static_cast<std::size_t>(size_of(type));
  std::int64_t now = -1, corner = 0;
  Buffer* buffer = nullptr;
  for (const std::int64_t i : points.order) {
    const Position at = points.at[static_cast<std::size_t>(i)];
    if (at.block != now) {
      attend();
      buffer = &this->at(hold(at.block, writing));
      now = at.block;
      corner = grid.place_of(now);
    }
    std::byte* here = buffer->data + static_cast<std::size_t>(at.place - corner) * size;
    std::byte* there = memory + static_cast<std::size_t>(i) * size;
    std::memcpy(writing ? here : there, writing ? there : here, size);
    if (writing) entry(now).written->add(at.place);
  }
}

}  // namespace octavo::detail
