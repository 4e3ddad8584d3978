// SPDX-License-Identifier: Apache-2.0
// Which elements of a block were written: a bit for each, so that what is written back is exactly those, and what another process wrote beside them stays.
//
//   WrittenElements written;
//   WrittenMarks* marks = written.begin(grid, 17);         // for BlockEntry::written
//   written.add(grid, box);                               // all of a box at once
//   for (const Box& part : written.parts(grid)) ...       // boxes of the array; unwritten_parts() are the others
//
// Bit k of the first word is the element whose place, from the array's first element on, is k more than the corner's rounded down to 64: so the code that
// writes an element needs its place only. Threading: one thread. It stays where it is as long as somebody has its marks.
#pragma once

#include <cstdint>
#include <vector>

#include "data/buffered/blocks/block_grid.hpp"
#include "octavo/data/selection.hpp"

namespace octavo::detail {

class WrittenElements {
 public:
  // From now on of this block, of which nothing was written. What it gives stays valid until the next begin().
  WrittenMarks* begin(const BlockGrid& grid, std::int64_t block);
  void end();
  [[nodiscard]] bool begun() const { return !words_.empty(); }
  void add(const BlockGrid& grid, const Box& box) { add(grid, Selection::of(box)); }
  void add(const BlockGrid& grid, const Selection& selected);
  // What was written of the same block.
  void add(WrittenElements& other);
  [[nodiscard]] std::int64_t count();
  [[nodiscard]] bool all(const BlockGrid& grid) { return count() == grid.box_of(block_).count(); }
  [[nodiscard]] std::vector<Box> parts(const BlockGrid& grid) { return runs(grid, true); }
  [[nodiscard]] std::vector<Box> unwritten_parts(const BlockGrid& grid) { return runs(grid, false); }
  // Bytes of a block's bits.
  static std::int64_t bytes(std::int64_t elements) { return (elements + 63 + 63) / 64 * 8; }

 private:
  [[nodiscard]] std::vector<Box> runs(const BlockGrid& grid, bool written);
  [[nodiscard]] std::int64_t next(std::int64_t from, std::int64_t to, bool written) const;
  void set(std::int64_t from, std::int64_t to);
  std::vector<std::uint64_t> words_;
  WrittenMarks marks_;
  std::int64_t block_ = -1, head_ = 0;  // head: bits before the first element's
};

}  // namespace octavo::detail
