// SPDX-License-Identifier: Apache-2.0
// Moving elements between a tile, where a row's elements lie `pitch` apart and neighbouring rows are adjacent, and a buffer of contiguous rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "octavo/data/dtype.hpp"

namespace octavo::fft {

// `rows` neighbouring rows of `length` elements; in elements: `pitch` from one element of a row to the next in the tile,
// `row_stride` from one row to the next in the buffer. pitch 1 with rows 1 is a plain copy.
struct RowBlock {
  std::int64_t length, rows, pitch, row_stride;
};

void gather_rows(dtype type, const std::byte* tile, std::byte* buffer, const RowBlock& block);
// Back, multiplied by scale.
void scatter_rows(dtype type, const std::byte* buffer, std::byte* tile, const RowBlock& block, double scale);
// What scatter_rows stored past the cache is seen by other threads and processes after this.
void finish_stores();
void scale_elements(dtype type, std::byte* data, std::int64_t count, double scale);

}  // namespace octavo::fft
