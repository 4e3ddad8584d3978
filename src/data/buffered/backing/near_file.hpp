// SPDX-License-Identifier: Apache-2.0
// Small parts of an array in one piece, moved by the thread that asks for them: what lies in the page cache is a copy, which takes a microsecond, and waiting
// for the disk's thread to do it takes ten times as long, or a hundred where others want the processor, while all threads of the array wait.
//
//   NearFile near(storage, dtype::float32);
//   if (!near.move(move, tile)) ...;      // the disk has to do it, all of it: what is not in the cache, what is much, and what fails
//
// Of one dense file, whose elements are in memory as they are in the file. Threading: one thread at a time. Failure: sync() throws io_error.
#pragma once

#include "octavo/base/fd.hpp"
#include "octavo/data/buffered/detail/backing.hpp"
#include "octavo/data/storage.hpp"

namespace octavo::detail {

class NearFile {
 public:
  NearFile(const Storage& storage, dtype type);
  bool move(const BlockMove& move, const Shape& tile);
  // What it has written is on the disk.
  void sync();

 private:
  [[nodiscard]] bool is_small(const BlockMove& move) const;
  bool move_rows(const BlockMove& move, const Box& part, const Shape& tile) const;
  bool move_row(bool writing, std::byte* memory, std::int64_t bytes, std::int64_t at) const;
  bool open(bool to_write);
  const std::string path_;
  const Shape shape_;
  const std::int64_t offset_, element_bytes_;
  const bool is_dense_;
  Fd reads_, writes_;
  bool wrote_ = false;
};

}  // namespace octavo::detail
