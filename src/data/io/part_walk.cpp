// SPDX-License-Identifier: Apache-2.0
#include "data/io/part_walk.hpp"

#include <algorithm>

#include "octavo/base/bytes.hpp"

namespace octavo {

PartWalk::PartWalk(const StoredBlock& block, const Box& part, const Shape& tile_shape, const Shape& at, dtype memory_type)
    : file_size_(size_of(block.type)), memory_size_(size_of(memory_type)), file_begin_(block.offset), total_(part.empty() ? 0 : part.count()) {
  Shape block_strides = dense_strides(block.shape), tile_strides = dense_strides(tile_shape), extents = part.extents();
  for (int axis = part.dims() - 1; axis >= 0; --axis) {
    file_begin_ += part.lo[axis] * block_strides[axis] * file_size_;
    memory_begin_ += at[axis] * tile_strides[axis] * memory_size_;
    add_axis({extents[axis], block_strides[axis] * file_size_, tile_strides[axis] * memory_size_});
  }
}

// Axes come from the innermost outwards; one that continues the one before it, in the file and in memory, is joined to it.
void PartWalk::add_axis(Axis axis) {
  if (axis.extent == 1) return;
  if (axis_count_ == 0 && axis.file_stride == atom_ * file_size_ && axis.memory_stride == atom_ * memory_size_) {
    atom_ *= axis.extent;
    return;
  }
  if (axis_count_ > 0) {
    Axis& last = axes_[static_cast<std::size_t>(axis_count_ - 1)];
    if (axis.file_stride == last.file_stride * last.extent && axis.memory_stride == last.memory_stride * last.extent) {
      last.extent *= axis.extent;
      return;
    }
  }
  axes_[static_cast<std::size_t>(axis_count_++)] = axis;
}

RangeRows PartWalk::rows_at(std::int64_t element, std::int64_t end) const {
  std::int64_t within = element % atom_, atom = element / atom_;
  RangeRows result{file_begin_ + within * file_size_, 0, memory_begin_ + within * memory_size_, 0, 1, 0};
  std::int64_t line_left = 1;  // atoms to the end of the innermost axis
  for (int i = 0; i < axis_count_; ++i) {
    const Axis& axis = axes_[static_cast<std::size_t>(i)];
    std::int64_t index = atom % axis.extent;
    atom /= axis.extent;
    result.file += index * axis.file_stride;
    result.memory += index * axis.memory_stride;
    if (i == 0) line_left = axis.extent - index;
  }
  std::int64_t left = end - element;
  if (within != 0 || left < atom_) {
    result.elements = std::min(atom_ - within, left);
    return result;
  }
  result.elements = atom_;
  result.rows = std::min(line_left, left / atom_);
  if (axis_count_ > 0) {
    result.file_stride = axes_[0].file_stride;
    result.memory_stride = axes_[0].memory_stride;
  }
  return result;
}

std::optional<FileRange> PartWalk::next(std::int64_t room, std::int64_t max_gap) {
  if (position_ >= total_) return std::nullopt;
  FileRange result{position_, 0, 0, 0};
  std::int64_t limit = 0;
  while (position_ < total_) {
    RangeRows rows = rows_at(position_, total_);
    if (result.hi == 0) {
      result.lo = result.hi = rows.file;
      limit = round_down(rows.file, disk_block) + room;
    }
    if (rows.file - result.hi > max_gap || rows.file + file_size_ > limit) break;
    std::int64_t length = rows.elements * file_size_, fit = 0;  // whole rows that fit
    if (rows.file + length <= limit)
      fit = rows.rows == 1 || rows.file_stride - length > max_gap ? 1 : std::min(rows.rows, (limit - rows.file - length) / rows.file_stride + 1);
    if (fit > 0) {
      position_ += fit * rows.elements;
      result.hi = rows.file + (fit - 1) * rows.file_stride + length;
    } else {  // the room ends within this row
      std::int64_t elements = (limit - rows.file) / file_size_;
      position_ += elements;
      result.hi = rows.file + elements * file_size_;
      break;
    }
  }
  result.count = position_ - result.first;
  return result;
}

}  // namespace octavo
