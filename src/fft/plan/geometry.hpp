// SPDX-License-Identifier: Apache-2.0
// How boxes, pages and stored chunks meet: tiles, their memory, and how long a contiguous run on disk is.
#pragma once

#include <cstdint>

#include "octavo/data/box.hpp"

namespace octavo::fft {

inline constexpr std::int64_t allocation_step = 4096;

// An upper bound, tight where boxes and pages line up, of the pool memory of any box of the grid when cut by `page`.
std::int64_t tile_memory(const Shape& shape, const Shape& box, const Shape& page, std::int64_t element, std::int64_t step = allocation_step);
// Do both pages cut every box into the same tiles?
bool same_tiles(const Shape& shape, const Shape& box, const Shape& a, const Shape& b);
// The typical contiguous run, in bytes, when tiles box ∩ page are moved to or from an array stored in `chunk`s. A whole chunk is one run.
std::int64_t run_bytes(const Shape& shape, const Shape& box, const Shape& page, const Shape& chunk, std::int64_t element);
// A page for an array that may be cut anywhere: the box, cut along its first axes to at most `most` bytes. Where the box has no fitting divisor, it
// is a little more than a whole number of pages.
Shape slab_page(const Shape& shape, const Shape& box, std::int64_t element, std::int64_t most);
std::int64_t divisor_upto(std::int64_t n, std::int64_t most);  // the largest divisor of n that is at most that
// Whole chunks taken together where they are small, so that a tile is worth a request.
Shape grouped_page(const Shape& shape, const Shape& box, const Shape& chunk, std::int64_t element);
Shape least_of(const Shape& a, const Shape& b);  // elementwise

}  // namespace octavo::fft
