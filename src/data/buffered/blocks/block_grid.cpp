// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/blocks/block_grid.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"
#include "octavo/data/buffered/detail/buffers.hpp"

namespace octavo::detail {

namespace {

// At most `most`: of an axis that is cut into chunks a number that divides the chunk, so that no block lies in two of them.
std::int64_t part_of(std::int64_t extent, std::int64_t most, bool in_chunks) {
  most = std::clamp<std::int64_t>(most, 1, extent);
  if (in_chunks)
    while (extent % most != 0) --most;
  return most;
}

}  // namespace

Shape block_for(const BlockWish& wish) {
  Shape block = wish.chunk;
  const int dims = block.size();
  auto bytes = [&] { return block.count() * wish.element_bytes; };
  for (int i = 0; wish.cut && i < dims && bytes() > wish.most_bytes; ++i)
    block[i] = part_of(block[i], wish.most_bytes / (block.count(i + 1, dims) * wish.element_bytes), block[i] < wish.shape[i]);
  for (int i = dims - 1; i >= 0; --i)
    while (block[i] < wish.shape[i] && bytes() * 2 <= wish.most_bytes) block[i] *= 2;
  for (int i = 0; i < dims; ++i) block[i] = std::max<std::int64_t>(1, std::min(block[i], wish.shape[i]));
  return block;
}

void check_dims(const Shape& shape, int dims) {
  if (shape.size() != dims)
    throw usage_error("an array of " + std::to_string(shape.size()) + " axes (" + shape.text() + ") as one of " + std::to_string(dims),
                      "Name as many as it has");
}

void check_index(const Shape& index, const Shape& shape) {
  bool within = index.size() == shape.size();
  for (int i = 0; within && i < index.size(); ++i) within = index[i] >= 0 && index[i] < shape[i];
  if (!within) throw usage_error("the element (" + index.text() + ") of an array of " + shape.text() + " elements", "An index lies within the array");
}

void check_box(const Box& box, const Shape& shape) {
  if (box.dims() != shape.size() || (!box.empty() && !Box::whole(shape).contains(box)))
    throw usage_error("the box " + box.text() + " of an array of " + shape.text() + " elements", "A box lies within the array");
}

Box block_around(const Shape& index, const Shape& shape, const Shape& block) {
  Box box{index, index};
  for (int i = 0; i < index.size(); ++i) {
    box.lo[i] = index[i] / block[i] * block[i];
    box.hi[i] = std::min(shape[i], box.lo[i] + block[i]);
  }
  return box;
}

BlockGrid::BlockGrid(const Shape& array, const Shape& wanted) : shape(array), block(wanted) {
  bool fits = block.size() == shape.size();
  for (int i = 0; fits && i < block.size(); ++i) fits = block[i] >= 1;
  if (!fits) throw usage_error("buffers of " + block.text() + " elements of an array of " + shape.text(), "Give one extent for each axis, at least 1");
  for (int i = 0; i < block.size(); ++i) block[i] = std::max<std::int64_t>(1, std::min(block[i], shape[i]));
  grid = grid_of(shape, block);
  strides = dense_strides(block);
  blocks = grid.count();
  elements = block.count();
}

Shape BlockGrid::corner_of(std::int64_t number) const {
  Shape corner = unflatten(number, grid);
  for (int i = 0; i < corner.size(); ++i) corner[i] *= block[i];
  return corner;
}

Box BlockGrid::box_of(std::int64_t number) const {
  const Shape corner = corner_of(number);
  return Box::whole(block).shifted(corner).intersect(Box::whole(shape));
}

std::int64_t BlockGrid::place_of(std::int64_t number) const {
  const Shape corner = corner_of(number);
  std::int64_t place = 0;
  for (int i = 0; i < corner.size(); ++i) place += corner[i] * strides[i];
  return place;
}

std::array<BlockAxis, max_dims> BlockGrid::axes() const {
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  const Shape across = dense_strides(grid);
  std::array<BlockAxis, max_dims> result{};
  for (int i = 0; i < block.size(); ++i) {
    const auto extent = static_cast<std::uint64_t>(block[i]);
    result[static_cast<std::size_t>(i)] = {(half + extent - 1) / extent, strides[i], across[i]};
  }
  return result;
}

}  // namespace octavo::detail
