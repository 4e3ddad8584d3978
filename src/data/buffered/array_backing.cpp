// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/array_backing.hpp"

#include "data/permute.hpp"
#include "octavo/data/buffered/detail/moved.hpp"

namespace octavo::detail {

std::unique_ptr<Moving> ArrayBacking::start(const BlockMove& move, const Shape& tile) {
  return moved([&] {
    const Shape strides = dense_byte_strides(tile, size_of(type_));
    for (const auto& part : move.parts) {
      std::byte* first = move.data + byte_offset(part.shifted(move.block.lo, -1).lo, strides);
      const auto selection = Selection::of(part);
      const std::int64_t window = part.count() * size_of(type_);
      if (move.writing) array_.write_from(selection, first, strides, type_, window);
      else array_.read_into(selection, first, strides, type_, window);
    }
  });
}

}  // namespace octavo::detail
