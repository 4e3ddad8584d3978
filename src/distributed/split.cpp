// SPDX-License-Identifier: Apache-2.0
#include "octavo/distributed/split.hpp"

#include <algorithm>
#include <set>

#include "octavo/base/error.hpp"

namespace octavo {

namespace {

bool some(const Shape& values) {
  return std::any_of(values.begin(), values.end(), [](std::int64_t each) { return each != 0; });
}

void check_axes(const Shape& values, const Shape& grid, const char* what, const char* cure) {
  if (values.size() != grid.size() || std::any_of(values.begin(), values.end(), [](std::int64_t each) { return each < 0; }))
    throw usage_error(std::string(what) + " " + values.text() + " for a split over a grid of " + grid.text(), cure);
}

}  // namespace

Split Split::block(const Shape& grid) { return block_cyclic(grid, Shape::filled(grid.size(), 0)); }

Split Split::cyclic(const Shape& grid) {
  Shape blocks = Shape::filled(grid.size(), 0);
  for (int axis = 0; axis < grid.size(); ++axis) blocks[axis] = grid[axis] > 1 ? 1 : 0;
  return block_cyclic(grid, blocks);
}

Split Split::block_cyclic(const Shape& grid, const Shape& blocks) {
  if (grid.size() == 0 || std::any_of(grid.begin(), grid.end(), [](std::int64_t each) { return each < 1; }))
    throw usage_error("a split over a grid of " + grid.text(), "Give how many members there are along each axis, at least 1");
  check_axes(blocks, grid, "blocks of", "Give for each axis how many elements are dealt out at a time, 0 where it lies in blocks");
  Split made;
  made.grid_ = grid;
  made.blocks_ = blocks;
  made.halo_ = Shape::filled(grid.size(), 0);
  return made;
}

Split Split::halo(const Shape& widths) const {
  check_axes(widths, grid_, "a halo of", "Give for each axis how many elements of the neighbours, 0 for none");
  if (is_cyclic() && some(widths))
    throw usage_error("a halo of " + widths.text() + " around elements that are dealt out in turns, where none has its neighbours beside it",
                      "Split it in blocks: octavo::Split::block(grid)");
  Split made = *this;
  made.halo_ = widths;
  return made;
}

Split Split::members(std::vector<std::uint32_t> members) const {
  if (static_cast<std::int64_t>(members.size()) != grid_.count())
    throw usage_error(std::to_string(members.size()) + " members for a grid of " + grid_.text(), "Name one for each cell of the grid");
  if (std::set(members.begin(), members.end()).size() != members.size())
    throw usage_error("a member is named twice for a grid of " + grid_.text(), "Name each once");
  Split made = *this;
  made.members_ = std::move(members);
  return made;
}

bool Split::is_cyclic() const noexcept { return some(blocks_); }

std::string Split::text() const {
  std::string all = grid_.text();
  if (is_cyclic()) all += ", blocks " + blocks_.text();
  if (some(halo_)) all += ", halo " + halo_.text();
  if (!members_.empty()) {
    all += ", at members";
    for (std::size_t i = 0; i < members_.size() && i < 8; ++i) all += " " + std::to_string(members_[i]);
    if (members_.size() > 8) all += " ...";
  }
  return all;
}

void Split::check(const Shape& shape, std::size_t group) const {
  if (grid_.size() != shape.size())
    throw usage_error("a split over a grid of " + grid_.text() + " of an array of " + shape.text(), "Give the grid one extent for each axis");
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t each) { return each < 0; }))
    throw usage_error("a distributed array of " + shape.text(), "Give extents of 0 or more");
  if (members_.empty() ? grid_.count() != static_cast<std::int64_t>(group)
                       : std::any_of(members_.begin(), members_.end(), [&](std::uint32_t each) { return each >= group; }))
    throw usage_error("a split over " + text() + " for a group of " + std::to_string(group) + " members",
                      "Make the product of the grid the size of the group, or name members of it");
  (void)shape.count();  // throws where it leaves 63 bits
}

}  // namespace octavo
