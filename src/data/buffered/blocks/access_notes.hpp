// SPDX-License-Identifier: Apache-2.0
// Which elements of an array one process read and wrote since the last barrier, for BufferedOptions::debug.
//
//   notes.add(false, grid, 17, place);  notes.add(true, grid, box);      // read; written
//   std::vector<std::int64_t> mine = notes.take();                       // for the others; nothing is noted then
//   check_accesses(of_all, shape, "u.npy");                              // the same in all of them
//
// An element is its number in the array, in C order, so that blocks may be cut otherwise in each process. Values. Threading: one thread. Failure:
// check_accesses throws usage_error, which names the element and the members.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/buffered/blocks/block_grid.hpp"

namespace octavo::detail {

// From first to last, not with last.
struct ElementRun {
  std::int64_t first, last;
};

// Sets of numbers, as runs.
class ElementRuns {
 public:
  void add(std::int64_t first, std::int64_t last);
  // Sorted, and joined where they touch.
  const std::vector<ElementRun>& settled();

 private:
  std::vector<ElementRun> runs_;
  std::size_t most_ = 1024;  // of them, before they are joined again
};

class AccessNotes {
 public:
  // `place`: of an element of the block (detail/block_table.hpp).
  void add(bool written, const BlockGrid& grid, std::int64_t block, std::int64_t place);
  void add(bool written, const BlockGrid& grid, const Box& box);
  // The number of runs that were read, those, and then those that were written.
  [[nodiscard]] std::vector<std::int64_t> take();

 private:
  ElementRuns read_, written_;
};

void check_accesses(const std::vector<std::vector<std::int64_t>>& of_all, const Shape& shape, const std::string& name);

}  // namespace octavo::detail
