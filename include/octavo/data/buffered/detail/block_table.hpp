// SPDX-License-Identifier: Apache-2.0
// What `[]` of a buffered array runs through: which block an index lies in, and where its buffer is. All of it is inlined; what is not in a buffer goes to
// BlockSource::bring.
//
//   const Position at = table.along(1, j, table.along(0, i, {}));   // of element (i, j)
//   float x = table.read<float>(at);
//
// Blocks lie side by side, so the elements before an element in its block are the sum of index times stride over the axes, less what the block's corner has.
// That difference is taken off the address once, when the block is brought: here it is one multiplication an axis to find the block (by its reciprocal), and
// two more along all axes but the last. Nothing is noted when an element is read. Now and then Buffers takes an entry away from here, and sees by its coming
// back that it is used. Threading: as the array. Failure: that of BlockSource::bring; an index outside the array is not looked for.
#pragma once

#include <array>
#include <cstdint>

#include "octavo/data/box.hpp"
#include "octavo/data/buffered/detail/written_marks.hpp"

namespace octavo::detail {

class BlockSource;

// All zeros: of a block that was never looked for. Addresses are those of its buffer less the place of its corner, and 0 where elements must not be
// read, or written, as it lies.
struct BlockEntry {
  std::uintptr_t reading, writing;
  WrittenMarks* written;
  std::int32_t buffer;  // one more than its number; 0: none
  std::uint32_t left;   // when it was used last before it made room; 0: it never did
};

struct BlockAxis {
  std::uint64_t reciprocal = 0;  // of the block's extent: 2^63 over it, rounded up
  std::int64_t stride = 0;       // elements, within a block
  std::int64_t blocks = 0;       // from a block to the next along this axis
};

struct Position {
  std::int64_t block = 0, place = 0;
};

// usage_error.
[[noreturn]] void refuse_moved_from();

// Of what is nowhere: each look at it is told so.
inline constexpr BlockEntry no_entry{};

// Of buffers that are there: this is a copy of what never changes, and the entries. By default of none: then every element leads to bring_...(), which says so.
struct BlockTable {
  const BlockEntry* entries = &no_entry;
  BlockSource* source = nullptr;
  std::array<BlockAxis, max_dims> axes{};

  [[nodiscard]] Position along(int axis, std::int64_t index, const Position& before) const noexcept {
    const BlockAxis& by = axes[static_cast<std::size_t>(axis)];
    return {before.block + quotient(by, index) * by.blocks, before.place + index * by.stride};
  }
  // Along the last axis: blocks and elements lie side by side there.
  [[nodiscard]] Position along_last(int axis, std::int64_t index, const Position& before) const noexcept {
    return {before.block + quotient(axes[static_cast<std::size_t>(axis)], index), before.place + index};
  }
  template <class T>
  [[nodiscard]] T read(const Position& at) const {
    std::uintptr_t from = entries[at.block].reading;
    if (from == 0) [[unlikely]]
      from = bring_to_read(source, at);
    return *reinterpret_cast<const T*>(from + static_cast<std::uintptr_t>(at.place) * sizeof(T));
  }
  template <class T>
  void write(const Position& at, T value) const {
    const BlockEntry& entry = entries[at.block];
    std::uintptr_t to = entry.writing;
    if (to == 0) [[unlikely]]
      to = bring_to_write(source, at);
    *reinterpret_cast<T*>(to + static_cast<std::uintptr_t>(at.place) * sizeof(T)) = value;
    entry.written->add(at.place);
  }

 private:
  // Right for every index whose product with the extent has no more than 63 bits.
  static std::int64_t quotient(const BlockAxis& by, std::int64_t index) noexcept {
    __extension__ using Wide = unsigned __int128;
    std::uint64_t doubled = static_cast<std::uint64_t>(index) * 2;
    asm("" : "+r"(doubled));  // or the compiler counts in 128 bits along the loop, and multiplies those
    return static_cast<std::int64_t>((Wide{doubled} * by.reciprocal) >> 64U);
  }
  // Not given the table: so a compiler that sees where it was made knows that it stays as it is, and finds the row of an element once for a loop along it.
  static std::uintptr_t bring_to_read(BlockSource* source, Position at);
  static std::uintptr_t bring_to_write(BlockSource* source, Position at);
};

// Of which a table has a copy: the buffers of an array, or a thread's share of them.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // So that this element can be read, or written, and the others of its block by the table's entry, unless each is to be noted: the address that an entry has.
  virtual std::uintptr_t bring(Position at, bool to_write) = 0;
  [[nodiscard]] virtual BlockTable table() = 0;
};

}  // namespace octavo::detail
