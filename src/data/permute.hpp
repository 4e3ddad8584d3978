// SPDX-License-Identifier: Apache-2.0
// Elements from one strided layout to another: transposes, slices with steps, NumPy's views.
//
//   copy_strided(to, {8, 8 * rows}, from, {8 * columns, 8}, {rows, columns}, 8);   // a transpose of doubles
//   Shape turned = permuted(shape, {2, 0, 1});                                     // as numpy.transpose: axis i is axis order[i]
//
// Strides are bytes, of any sign and order; 0 is allowed on the side that is read. Where the fastest axes of the two sides differ the
// copy goes by tiles that stay in the first-level cache. The two sides must not overlap. Nothing needs any alignment. Threading: pure.
#pragma once

#include <cstddef>

#include "octavo/data/box.hpp"

namespace octavo {

// `extents` elements of `element_size` bytes; `to` and `from` are the elements at index 0.
void copy_strided(std::byte* to, const Shape& to_strides, const std::byte* from, const Shape& from_strides, const Shape& extents, std::int64_t element_size);

// Strides of a dense C-order array, in bytes.
Shape dense_byte_strides(const Shape& shape, std::int64_t element_size);
std::int64_t byte_offset(const Shape& index, const Shape& byte_strides);

// An order of axes, as numpy.transpose takes it. Empty means as stored. Throws usage_error if it is none of `dims` axes.
void check_order(const Shape& order, int dims);
bool is_identity(const Shape& order);
Shape permuted(const Shape& values, const Shape& order);
Shape inverse(const Shape& order);

// The axes of a dense block of `shape` put in `order`, where it lies. Takes private memory for what moves together: the axes before
// the first that changes its place are not among it.
void permute_in_place(std::byte* data, const Shape& shape, const Shape& order, std::int64_t element_size);

}  // namespace octavo
