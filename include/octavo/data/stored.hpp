// SPDX-License-Identifier: Apache-2.0
// Where a block of an array lies in a file, and where a part of it goes in memory.
//
//   octavo::StoredBlock chunk{.file = "a.zarr/c/0/0", .offset = 0, .shape = {512, 512}, .type = octavo::dtype::float32};
//   octavo::Tile tile{memory, {512, 1024}, {0, 512}};   // the moved part begins at column 512 of a 512 x 1024 tile
//
// Values. A Tile does not own its memory: it must stay until the move it was given to is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "octavo/data/box.hpp"
#include "octavo/data/dtype.hpp"

namespace octavo {

// A dense C-order block of elements of `shape`, `offset` bytes into `file`.
struct StoredBlock {
  std::string file;
  std::int64_t offset = 0;
  Shape shape;
  dtype type = dtype::float64;
  byte_order order = byte_order::little;
  std::int64_t file_bytes = 0;       // the length the whole file gets when a write creates it; 0: it grows as it is written
  bool is_file = false;              // nothing else is in the file: a longer one is damaged
  std::vector<std::byte> fill = {};  // one element in native order: what a write that creates the file puts beside its part; empty: zeros
  Shape used = {};                   // encoded chunks: how much of it lies within the array, from its first element on; the rest may be anything
  std::int64_t encoded_bytes = -1;   // of an encoded chunk among others in its file: how many from `offset` on, 0: never written; -1: the file is the chunk
  std::size_t fixed = 0;             // characters of `file` that must be there: a write makes only the directories below, and nothing where it is all of it

  [[nodiscard]] std::int64_t bytes() const { return shape.count() * size_of(type); }
};

// Dense C-order memory of `shape`; what is moved has its first element at index `at`.
struct Tile {
  std::byte* data = nullptr;
  Shape shape, at;

  static Tile whole(std::byte* data, const Shape& shape) { return {data, shape, Shape::filled(shape.size(), 0)}; }
};

struct ConstTile {
  const std::byte* data = nullptr;
  Shape shape, at;

  ConstTile() = default;
  ConstTile(const std::byte* memory, const Shape& extents, const Shape& index) : data(memory), shape(extents), at(index) {}
  ConstTile(const Tile& tile) : data(tile.data), shape(tile.shape), at(tile.at) {}  // NOLINT(google-explicit-constructor)
  static ConstTile whole(const std::byte* data, const Shape& shape) { return {data, shape, Shape::filled(shape.size(), 0)}; }
};

}  // namespace octavo
