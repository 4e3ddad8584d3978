// SPDX-License-Identifier: Apache-2.0
// Cuts a part of a stored block into contiguous ranges of the file, in the order of the file.
//
//   PartWalk walk(block, part, tile.shape, tile.at, dtype::float32);
//   while (auto range = walk.next(buffer_bytes, max_gap)) ... walk.each_row(*range, [&](RangeRows rows) { copy });
//
// The part is seen as atoms: runs of elements which are contiguous both in the file and in memory. A range has elements of the part that
// follow each other in C order, and may begin and end within an atom, so any cut that falls between two elements is possible.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "octavo/data/stored.hpp"

namespace octavo {

inline constexpr std::int64_t disk_block = 4096;  // the alignment that O_DIRECT wants of offsets, lengths and memory

struct FileRange {
  std::int64_t first = 0, count = 0;  // elements of the part
  std::int64_t lo = 0, hi = 0;        // bytes of the file: from the first element's first to the last one's end
};

// Offsets in bytes: in the file, and from the tile's first element in memory.
struct RangeRows {
  std::int64_t file, file_stride, memory, memory_stride, rows, elements;
};

class PartWalk {
 public:
  PartWalk(const StoredBlock& block, const Box& part, const Shape& tile_shape, const Shape& at, dtype memory_type);

  // The next range: the whole disk blocks that it touches are together not longer than `room`, no gap in it longer than `max_gap`.
  std::optional<FileRange> next(std::int64_t room, std::int64_t max_gap);
  void stop() { position_ = total_; }
  [[nodiscard]] std::int64_t run_bytes() const { return atom_ * file_size_; }  // contiguous in the file

  template <class Visit>
  void each_row(const FileRange& range, Visit&& visit) const {
    for (std::int64_t at = range.first, end = at + range.count; at < end;) {
      RangeRows rows = rows_at(at, end);
      at += rows.rows * rows.elements;
      visit(rows);
    }
  }

 private:
  struct Axis {
    std::int64_t extent, file_stride, memory_stride;  // strides in bytes
  };
  void add_axis(Axis axis);
  [[nodiscard]] RangeRows rows_at(std::int64_t element, std::int64_t end) const;

  std::array<Axis, max_dims> axes_{};  // the innermost first, without the atom
  int axis_count_ = 0;
  std::int64_t atom_ = 1;                 // elements
  std::int64_t file_size_, memory_size_;  // of one element
  std::int64_t file_begin_, memory_begin_ = 0;
  std::int64_t position_ = 0, total_;
};

}  // namespace octavo
