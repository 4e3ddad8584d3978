// SPDX-License-Identifier: Apache-2.0
// Which elements of a distributed array a member has, and where they lie in its memory: along each axis some runs of indices.
//
//   const Geometry mine = geometry_of({100, 100}, Split::block({4, 1}).halo({1, 0}), 1);
//   mine.wide.text() == "27 x 100";  mine.own[0].front();             // {.global = 25, .local = 1, .length = 25}
//   beyond(mine, {100, 100}, 0, boundary::nearest);                   // {24, 0, 1} and {50, 26, 1}: what its halo shows along axis 0
//
// Threading: pure.
#pragma once

#include <vector>

#include "data/blocks/edges.hpp"
#include "octavo/distributed/detail/facts.hpp"

namespace octavo::detail {

struct Geometry {
  Shape extents;          // its own elements
  Shape wide;             // its memory: with the halo
  std::vector<Runs> own;  // by axis
  [[nodiscard]] bool empty() const { return extents.count() == 0; }
};

Geometry geometry_of(const Shape& shape, const Split& split, std::uint32_t member);
// All of an array, in one piece.
Geometry whole_of(const Shape& shape);
// What the halo shows along this axis. `none`: only what is in the array; `value`: runs that begin at beyond_edge.
Runs beyond(const Geometry& of, const Shape& shape, int axis, boundary how);

}  // namespace octavo::detail
