// SPDX-License-Identifier: Apache-2.0
// How the blocks of a buffered array move between their buffers and wherever it lies: exactly what was written is written back, and nothing of it is forgotten
// before it is there.
//
//   moves.start_read(buffer);   moves.end_read(buffer);        // throws what went wrong
//   moves.start_write(buffer);  moves.end_write(buffer);       // or keeps what was written
//
// Threading: one thread at a time. Failure: what the backing throws, with the box.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>

#include "data/buffered/blocks/written_elements.hpp"
#include "octavo/data/buffered/detail/backing.hpp"
#include "octavo/data/buffered/options.hpp"

namespace octavo::detail {

// It is free, or has a block: all of it, or only what was written (then it was never read).
struct Buffer {
  std::int64_t block = -1;
  std::byte* data = nullptr;
  WrittenElements written;
  bool full = false;           // all of the block is there
  bool ahead = false;          // nobody asked for it yet
  int pins = 0, changing = 0;  // changing: of them those that may write at any time
  std::unique_ptr<Moving> reading, writing;
  std::int64_t leaving = 0;  // bytes that are written now
};

// Zeros that take no memory until they are used.
std::shared_ptr<BlockEntry> new_entries(std::int64_t blocks);

class BlockMoves {
 public:
  BlockMoves(std::unique_ptr<Backing> backing, BlockGrid grid, dtype type);
  BlockMoves(const BlockMoves&) = delete;
  BlockMoves& operator=(const BlockMoves&) = delete;

  // Of what of the block is not there.
  void start_read(Buffer& buffer);
  void end_read(Buffer& buffer);
  void start_write(Buffer& buffer);
  void end_write(Buffer& buffer);
  // What is under way to be written is more than half of it.
  [[nodiscard]] bool is_most_of(const Buffer& leaving, const Box& box) const;
  void await(Moving& moving);
  // add(what was written) after a write-back that is under way, which would take it for what it has written.
  void note(Buffer& buffer, const std::function<void(WrittenElements&)>& add) noexcept;

  [[nodiscard]] BlockEntry& entry(std::int64_t block) const { return entries.get()[block]; }
  // Of its first element, less the place of its block's corner.
  [[nodiscard]] std::uintptr_t address_of(const Buffer& buffer) const;
  [[nodiscard]] const std::string& name() const { return backing->name(); }
  void check_owner() const;
  // In a process that was forked off the owner, the disk's thread is not there.
  [[nodiscard]] bool is_owner() const;

  const std::unique_ptr<Backing> backing;
  const BlockGrid grid;
  const dtype type;
  const std::shared_ptr<BlockEntry> entries;
  BufferedCounters counted;

 protected:
  ~BlockMoves() = default;

 private:
  void say_if_read_too_often() const;
  const pid_t owner_;
};

}  // namespace octavo::detail
