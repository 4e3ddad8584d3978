// SPDX-License-Identifier: Apache-2.0
// A block of an array and its halo, read into memory.
//
//   const Box wide = with_halo(box, {1, 1}, shape, boundary::nearest);     // may reach beyond the array
//   read_surrounded(array, wide, {boundary::nearest, {}}, dtype::float32, memory, window);
//
// What lies beyond the edge is taken from what was read, and read only where it is on the other side. Threading: as an Array. Failure: what devices throw.
#pragma once

#include <vector>

#include "octavo/data/array.hpp"
#include "octavo/data/boundary.hpp"
#include "octavo/data/scalar.hpp"

namespace octavo::detail {

struct ShownBeyond {
  boundary how = boundary::nearest;
  std::vector<std::byte> element = {};  // of boundary::value, in the type that is read
};

// In indices of the array; with boundary::none as far as it goes.
Box with_halo(const Box& box, const Shape& widths, const Shape& shape, boundary how);
// `to`: dense, of the extents of `wide`. `window`: bytes of pages on the way.
void read_surrounded(const Array& from, const Box& wide, const ShownBeyond& edges, dtype as, std::byte* to, std::int64_t window);
// The number as an element of this type. Throws usage_error where it is none.
std::vector<std::byte> element_of(const Scalar& number, dtype type);

}  // namespace octavo::detail
