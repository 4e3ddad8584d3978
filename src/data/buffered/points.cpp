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
  [[nodiscard]] std::int64_t block(std::size_t number) const { return at[static_cast<std::size_t>(order[number])].block; }
  [[nodiscard]] std::size_t blocks() const {
    std::size_t found = order.empty() ? 0 : 1;
    for (std::size_t i = 1; i < order.size(); ++i) found += block(i) != block(i - 1) ? 1 : 0;
    return found;
  }
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
  const bool passing = !writing && points.blocks() > buffers_.size();  // then the next pass would not find them, either
  std::int64_t now = -1, corner = 0;
  Buffer* buffer = nullptr;
  bool came = false;
  // A block that came for this alone leaves its buffer to the next one: no more memory is taken than what reads ahead.
  auto pass = [&](std::int64_t block) {
    const int number = find(block);
    if (this->at(number).pins > 0 || this->at(number).written.begun()) return;
    free(number);
    entry(block).left = replacement_.now();
  };
  for (const std::int64_t i : points.order) {
    const Position at = points.at[static_cast<std::size_t>(i)];
    if (at.block != now) {
      attend();
      if (passing && came) pass(now);
      came = find(at.block) < 0 || this->at(find(at.block)).ahead;
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
