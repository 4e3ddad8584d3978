// SPDX-License-Identifier: Apache-2.0
// The inside of Buffers: which block lies in which buffer. How one comes and goes is in bring.cpp, what moves many in writeback.cpp, copies from and to the
// caller's memory in copy.cpp, what threads keep in share.cpp; how one moves, in moves.cpp.
//
// While a buffer is read nothing of it can be used; while it is written back it can be read. An entry of the table has an address where the element can be
// read, or written, without a look.
// Threading: whoever has its turn(). Failure: what the backing throws, with the box; nothing that was written is lost by it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "data/buffered/blocks/access_notes.hpp"
#include "data/buffered/moves.hpp"
#include "data/buffered/replacement.hpp"
#include "data/buffered/scans.hpp"
#include "data/io/staging.hpp"
#include "octavo/data/buffered/detail/buffers.hpp"

namespace octavo::detail {

class Buffers::Impl : public BlockMoves {
 public:
  Impl(std::unique_ptr<Backing> backing, BlockGrid grid, std::int64_t buffers, std::int64_t threads, dtype type, bool writable);
  ~Impl();  // a table that still has the entries finds nothing there
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Of a forked child it is none: there whatever is called throws.
  [[nodiscard]] std::unique_lock<std::mutex> turn() const { return is_owner() ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>(); }
  std::uintptr_t bring(Position at, bool to_write);
  // The buffer that has it now, all of it or, to write, what is written first.
  int hold(std::int64_t block, bool to_write);
  void check_writable() const;
  PinnedPart pin(std::int64_t block, const Box& part, block_access access);
  void unpin(const PinnedPart& pinned) noexcept;
  void read(const Selection& selection, std::byte* to, const Shape& byte_strides, dtype as);
  void write(const Selection& selection, const std::byte* from, const Shape& byte_strides, dtype from_type);
  // Elements in the order of `indices`, dense in memory.
  void points(std::span<const std::int64_t> indices, std::int64_t count, std::byte* memory, bool writing);
  // Shares of threads: how many blocks each may keep; a block that one keeps; and lets go, with what it wrote there.
  void begin_share();
  void end_share() noexcept { --shares_; }
  [[nodiscard]] std::size_t kept_by_a_share() const;
  [[nodiscard]] std::int64_t shares() const { return shares_; }
  void keep(int buffer) { ++at(buffer).pins; }
  void let_go(int buffer, WrittenElements& written) noexcept;

  [[nodiscard]] Buffer& at(int buffer) { return buffers_[static_cast<std::size_t>(buffer)]; }

  void writeback();
  void invalidate(bool discard);
  [[nodiscard]] std::int64_t dirty_elements();

  const bool writable;
  Look look;                           // now and then
  std::unique_ptr<AccessNotes> notes;  // none: nothing is noted

 private:
  [[nodiscard]] int find(std::int64_t block);
  int enter(std::int64_t block);
  void enter(std::int64_t block, int buffer);
  [[nodiscard]] int room_for(std::int64_t block);
  [[nodiscard]] int room_beside(std::int64_t block);
  [[nodiscard]] std::uint32_t away(std::int64_t block) const;
  void evict(int buffer);
  void forget(int buffer);
  void free(int buffer);
  void let_some_idle(std::int64_t but);
  void await_read(int buffer);
  void fill(int buffer);
  void read_ahead(std::int64_t after);
  void open_to_write(int buffer);
  void write_behind(std::int64_t now);
  void map(int buffer, bool to_write);
  void rests(int buffer);
  void check(const Selection& selection) const;
  void attend() const {
    if (look) look(counted);
  }

  mutable std::mutex mutex_;
  Staging memory_;
  std::vector<Buffer> buffers_;
  std::vector<int> free_;
  Replacement replacement_;
  Scans scans_;
  int hand_ = 0;  // whose entry is taken away next
  const std::int64_t threads_;
  std::int64_t shares_ = 0;
};

}  // namespace octavo::detail
