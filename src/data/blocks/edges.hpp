// SPDX-License-Identifier: Apache-2.0
// What memory that reaches beyond an array shows there, along one axis: runs of the array's indices.
//
//   Runs runs;
//   show(runs, 24, 0, 27, 100, boundary::nearest);      // {24, 0, 27}: memory whose place 0 is index 24, of an axis of 100
//   show(runs, -1, 0, 1, 100, boundary::periodic);      // {99, 0, 1}
//
// Threading: pure.
#pragma once

#include <vector>

#include "octavo/data/boundary.hpp"
#include "octavo/data/box.hpp"

namespace octavo::detail {

// Elements that lie side by side, in the array and in the memory, along one axis.
struct Run {
  std::int64_t global = 0, local = 0, length = 0;
  bool operator==(const Run&) const = default;
};
using Runs = std::vector<Run>;
inline constexpr std::int64_t beyond_edge = -1;  // the global index of what lies beyond the array

// Appends what the places [from, to) of a memory show, whose place 0 is index `first` of an axis of `extent` elements. `none`: only what is in the array;
// `value`: runs that begin at beyond_edge.
void show(Runs& runs, std::int64_t first, std::int64_t from, std::int64_t to, std::int64_t extent, boundary how);
// Throws usage_error where a halo is wider than what can lie beyond an array of this shape.
void check_boundary(const Shape& shape, const Shape& halo, boundary how);

}  // namespace octavo::detail
