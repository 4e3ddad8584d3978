// SPDX-License-Identifier: Apache-2.0
// What goes from one part of an array to another: along each axis the runs that both have, and their product, walked in C order as pieces of memory.
//
//   const Strips strips = common_to(theirs, mine);
//   Walk from(strips, &Overlap::from, data, theirs.wide, 8), to(strips, &Overlap::to, other, mine.wide, 8);
//   copy(from, to);
//
// Both sides of a strip are walked in the same order, so that what one packs the other unpacks. Threading: pure; a Walk is used by one thread.
#pragma once

#include "distributed/geometry.hpp"
#include "octavo/base/bytes.hpp"

namespace octavo::detail {

// Along one axis: so many elements, which begin at these indices of the two memories.
struct Overlap {
  std::int64_t from = 0, to = 0, length = 0;
};
using Strip = std::vector<std::vector<Overlap>>;  // by axis
using Strips = std::vector<Strip>;

// What both have.
Strips common_to(const Geometry& from, const Geometry& to);
// What the halo of `to` shows of the elements of `from`.
Strips shown_of(const Geometry& from, const Geometry& to, const Shape& shape, boundary how);
// The part of the halo that lies beyond the array, as `to`.
Strips beyond_array(const Geometry& of, const Shape& shape);
std::int64_t count_of(const Strips& strips);

class Walk {
 public:
  // `wide`: the shape of the memory.
  Walk(const Strips& strips, std::int64_t Overlap::*side, std::byte* data, const Shape& wide, std::int64_t item);
  // The next piece, of at most so many bytes; empty at the end.
  ByteSpan next(std::int64_t most);

 private:
  struct At {
    std::size_t overlap = 0;
    std::int64_t offset = 0;
  };
  void enter();
  void advance();
  [[nodiscard]] ByteSpan piece() const;

  const Strips& strips_;
  std::int64_t Overlap::*side_;
  std::byte* data_;
  Shape wide_, strides_;  // in bytes
  std::size_t strip_ = 0, inner_ = 0;
  std::vector<At> at_;
  ByteSpan left_;
};

void copy(Walk& from, Walk& to);
// From and to memory in which the strips lie one behind the other.
void pack(Walk& from, ByteSpan to);
void unpack(ByteView from, Walk& to);

}  // namespace octavo::detail
