// SPDX-License-Identifier: Apache-2.0
// How a buffered array is cut into blocks, and where an element lies in them.
//
//   BlockGrid grid(shape, block_for({.shape = shape, .chunk = chunk, .element_bytes = 4, .most_bytes = 1 * MiB}));
//   grid.box_of(17);   grid.place_of(17);   // its box in the array; the place of its corner (detail/block_table.hpp)
//
// Values. Failure: usage_error for a block that does not fit the array.
#pragma once

#include "octavo/data/buffered/detail/block_table.hpp"

namespace octavo::detail {

struct BlockWish {
  Shape shape, chunk;
  std::int64_t element_bytes = 1, most_bytes = 1;
  bool cut = true;  // a chunk may be cut
};

// Of an array in one piece as many whole rows as fit, or a part of a row; of chunks some that lie side by side along the last axes, or an even part of one.
Shape block_for(const BlockWish& wish);

struct BlockGrid {
  Shape shape, block, grid, strides;
  std::int64_t blocks = 0, elements = 0;  // elements: of a whole block, as it lies in a buffer

  BlockGrid(const Shape& array, const Shape& wanted);
  [[nodiscard]] Shape corner_of(std::int64_t number) const;
  [[nodiscard]] Box box_of(std::int64_t number) const;  // at the array's upper edges smaller than a block
  [[nodiscard]] std::int64_t place_of(std::int64_t number) const;
  [[nodiscard]] std::array<BlockAxis, max_dims> axes() const;
};

}  // namespace octavo::detail
