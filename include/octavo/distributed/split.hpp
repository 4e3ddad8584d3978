// SPDX-License-Identifier: Apache-2.0
// How an array lies over the members of a group: a grid of them, along each axis in blocks, or dealt out in turns; and how far each sees into its neighbours.
//
//   auto rows = octavo::Split::block({4, 1}).halo({1, 0});             // four members, each some rows, and one of each neighbour
//   auto tiles = octavo::Split::block({2, 2}).members({3, 2, 1, 0});   // the first tile at member 3
//   auto turns = octavo::Split::cyclic({4, 1});                        // row i at member i % 4
//   auto pairs = octavo::Split::block_cyclic({4, 1}, {2, 0});          // row i at member i / 2 % 4; 0: in blocks along that axis
//
// In blocks: of n elements over p members the first n % p have one more, as numpy.array_split has it. The grid is in C order: with {2, 2} members 0 and 1 have
// the first rows. A member that `members` does not name has no elements. A value. Failure: usage_error for what makes no sense; a halo around what is dealt out
// in turns is one, as no element has its neighbours beside it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "octavo/data/box.hpp"

namespace octavo {

class Split {
 public:
  Split() = default;
  // So many members along each axis.
  static Split block(const Shape& grid);
  static Split cyclic(const Shape& grid);
  static Split block_cyclic(const Shape& grid, const Shape& blocks);
  // The same with so many elements of the neighbours on each side, by axis.
  [[nodiscard]] Split halo(const Shape& widths) const;
  // The same with grid cell i, in C order, at member members[i].
  [[nodiscard]] Split members(std::vector<std::uint32_t> members) const;

  [[nodiscard]] const Shape& grid() const noexcept { return grid_; }
  [[nodiscard]] const Shape& halo() const noexcept { return halo_; }
  // By axis how many elements are dealt out at a time; 0: in blocks.
  [[nodiscard]] const Shape& blocks() const noexcept { return blocks_; }
  [[nodiscard]] const std::vector<std::uint32_t>& members() const noexcept { return members_; }
  [[nodiscard]] bool is_cyclic() const noexcept;
  [[nodiscard]] std::string text() const;  // "4 x 1", "4 x 1, halo 1 x 0", "4 x 1, blocks 2 x 0"
  // Whether each element is at the same member; halos may differ.
  [[nodiscard]] bool places_as(const Split& other) const { return grid_ == other.grid_ && blocks_ == other.blocks_ && members_ == other.members_; }
  // Throws usage_error where it does not fit an array of this shape over so many members.
  void check(const Shape& shape, std::size_t group) const;

  bool operator==(const Split&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(grid_, halo_, blocks_, members_);
  }

 private:
  Shape grid_, halo_, blocks_;
  std::vector<std::uint32_t> members_;  // none: cell i is at member i
};

}  // namespace octavo
