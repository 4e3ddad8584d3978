// SPDX-License-Identifier: Apache-2.0
// Parts of the array in the user's hands: blocks that are pinned, and copies of any selection.
#include <algorithm>

#include "data/buffered/buffers.hpp"
#include "data/io/convert.hpp"
#include "data/permute.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

// The elements of a selection that lie in a box of the array, and the number of the first of them on each axis. False: there are none.
bool part_within(const Selection& selection, const Box& box, Selection& part, Shape& first) {
  part = selection;
  first = selection.lo;
  for (int i = 0; i < box.dims(); ++i) {
    const std::int64_t lo = selection.lo[i], step = selection.step[i];
    const std::int64_t from = box.lo[i] <= lo ? 0 : (box.lo[i] - lo + step - 1) / step;
    const std::int64_t to = std::min(selection.count[i], (box.hi[i] - 1 - lo) / step + 1);
    if (box.hi[i] <= lo || from >= to) return false;
    first[i] = from;
    part.lo[i] = lo + from * step;
    part.count[i] = to - from;
  }
  return true;
}

// visit(block, elements in the array, their first's number in the selection) for each block that has some.
template <class Visit>
void for_each_part(const BlockGrid& grid, const Selection& selection, Visit&& visit) {
  Box bounds{selection.lo, selection.lo};
  for (int i = 0; i < bounds.dims(); ++i) bounds.hi[i] = selection.lo[i] + (selection.count[i] - 1) * selection.step[i] + 1;
  if (bounds.dims() > 0 && Box::whole(selection.count).empty()) return;
  auto each = [&](const Shape& index) {
    const std::int64_t block = flatten(index, grid.grid);
    Selection part;
    Shape first;
    if (part_within(selection, grid.box_of(block), part, first)) visit(block, part, first);
  };
  if (bounds.dims() == 0) return each({});
  for_each_tile(bounds, grid.block, [&](const Shape& index, const Box&) { each(index); });
}

// Bytes from the buffer's first element to the first of a part, and strides between its elements.
std::pair<std::int64_t, Shape> within_block(const BlockGrid& grid, std::int64_t block, const Selection& part, std::int64_t size) {
  const Shape corner = grid.corner_of(block);
  Shape strides = grid.strides;
  std::int64_t first = 0;
  for (int i = 0; i < strides.size(); ++i) {
    first += (part.lo[i] - corner[i]) * strides[i] * size;
    strides[i] *= part.step[i] * size;
  }
  return {first, strides};
}

}  // namespace

PinnedPart Buffers::Impl::pin(std::int64_t block, const Box& part, block_access access) {
  if (block < 0 || block >= grid.blocks || part.empty() || !grid.box_of(block).contains(part))
    throw usage_error("the part " + part.text() + " of block " + std::to_string(block) + " of '" + name() + "'", "A part lies within one block");
  if (access != block_access::overwrite) hold(block, false);
  if (access != block_access::read) hold(block, true);
  Buffer& buffer = at(find(block));
  if (access != block_access::read) buffer.written.add(grid, part);
  if (notes) notes->add(access != block_access::read, grid, part);
  ++buffer.pins;
  if (access != block_access::read) ++buffer.changing;
  return {block, part, access, buffer.data + within_block(grid, block, Selection::of(part), size_of(type)).first};
}

// What was written after a writeback() in between is to be written, too.
void Buffers::Impl::unpin(const PinnedPart& pinned) noexcept {
  const int number = find(pinned.block);
  if (pinned.access != block_access::read) {
    --at(number).changing;
    note(at(number), [&](WrittenElements& written) { written.add(grid, pinned.part); });
  }
  --at(number).pins;
  rests(number);
}

void Buffers::Impl::check(const Selection& selection) const {
  const int dims = grid.shape.size();
  bool fits = selection.lo.size() == dims && selection.count.size() == dims && selection.step.size() == dims;
  for (int i = 0; fits && i < dims; ++i) {
    const std::int64_t lo = selection.lo[i], count = selection.count[i], step = selection.step[i];
    fits = step >= 1 && lo >= 0 && count >= 0 && (count == 0 || (lo < grid.shape[i] && count - 1 <= (grid.shape[i] - 1 - lo) / step));
  }
  if (!fits) throw usage_error(selection.text() + " of '" + name() + "', which has " + grid.shape.text() + " elements", "A selection lies within the array");
}

void Buffers::Impl::read(const Selection& selection, std::byte* to, const Shape& byte_strides, dtype as) {
  check(selection);
  const Converter convert({type}, {as});
  for_each_part(grid, selection, [&](std::int64_t block, const Selection& part, const Shape& first) {
    attend();
    const std::byte* data = at(hold(block, false)).data;
    const auto [offset, strides] = within_block(grid, block, part, size_of(type));
    std::byte* there = to + byte_offset(first, byte_strides);
    const std::byte* here = data + offset;
    if (as == type) copy_strided(there, byte_strides, here, strides, part.count, size_of(type));
    else convert.box(there, byte_strides, here, strides, part.count);
  });
}

void Buffers::Impl::write(const Selection& selection, const std::byte* from, const Shape& byte_strides, dtype from_type) {
  check(selection);
  const Converter convert({from_type}, {type});
  for_each_part(grid, selection, [&](std::int64_t block, const Selection& part, const Shape& first) {
    attend();
    Buffer& buffer = at(hold(block, true));
    const auto [offset, strides] = within_block(grid, block, part, size_of(type));
    const std::byte* there = from + byte_offset(first, byte_strides);
    if (from_type == type) copy_strided(buffer.data + offset, strides, there, byte_strides, part.count, size_of(type));
    else convert.box(buffer.data + offset, strides, there, byte_strides, part.count);
    buffer.written.add(grid, part);
  });
}

}  // namespace octavo::detail
