// SPDX-License-Identifier: Apache-2.0
// The buffers of one buffered array, whatever its elements: octavo::BufferedArray and Python's are thin over it.
//
//   auto buffers = Buffers::open("u.npy", {}, dtype::float32, {.memory = 64 * MiB});
//   const PinnedPart part = buffers->pin(0, box, block_access::read);
//   buffers->read(Selection::of(box), to, strides, dtype::float32);        // or in parts, to the caller's memory
//   buffers->writeback();
//
// Contract, threading and failure: those of BufferedArray (BA-1 and on).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "octavo/data/array.hpp"
#include "octavo/data/buffered/detail/block_table.hpp"
#include "octavo/data/buffered/options.hpp"

namespace octavo::detail {

class Backing;

// What is done with a block that is pinned. Overwritten: its part need not be read before, and has no values yet.
enum class block_access : std::uint8_t { read, change, overwrite };

// A part of a block in its buffer, which stays there until it is unpinned.
struct PinnedPart {
  std::int64_t block = -1;
  Box part;  // in the array
  block_access access = block_access::read;
  std::byte* data = nullptr;  // of the first element of the part; strides are those of a dense block
};

class Buffers : public BlockSource {
 public:
  // `shape` is empty where the array says it itself.
  static std::unique_ptr<Buffers> open(const std::string& path, const Shape& shape, dtype type, const BufferedOptions& options);
  static std::unique_ptr<Buffers> over(const Array& array, dtype type, const BufferedOptions& options);
  // Of a format that Octavo reads itself.
  static std::unique_ptr<Buffers> over(const Storage& storage, dtype type, const BufferedOptions& options);
  // In a file without a name, in TMPDIR, else /tmp.
  static std::unique_ptr<Buffers> scratch(const Shape& shape, dtype type, const BufferedOptions& options);
  // `chunk`: what is read and written together; `cut`: whether a part of it may be.
  Buffers(std::unique_ptr<Backing> backing, const Shape& shape, const Shape& chunk, bool cut, dtype type, const BufferedOptions& options);
  ~Buffers() override;
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  [[nodiscard]] const Shape& shape() const;
  [[nodiscard]] const Shape& block() const;
  [[nodiscard]] dtype type() const;
  [[nodiscard]] bool writable() const;
  [[nodiscard]] BlockTable table() override;
  [[nodiscard]] BufferedCounters counters() const;
  // Called between two blocks of what may take long, with what was counted so far; what it throws leaves the call.
  using Look = std::function<void(const BufferedCounters&)>;
  void attend(Look look);

  std::uintptr_t bring(Position at, bool to_write) override;
  // For one more thread: what it has brought stays until it lets it go. As long as there is one, bring() is a usage_error.
  [[nodiscard]] std::unique_ptr<BlockSource> share();
  // `part` lies within the block; unless it is only read, it counts as written.
  PinnedPart pin(std::int64_t block, const Box& part, block_access access);
  void unpin(const PinnedPart& pinned) noexcept;

  // Converted as devices do (D-2); strides are bytes, of any sign and order.
  void read(const Selection& selection, std::byte* to, const Shape& byte_strides, dtype as);
  void write(const Selection& selection, const std::byte* from, const Shape& byte_strides, dtype from_type);

  // Of `count` elements anywhere, of the array's type: their indices along the first axis, then along the next; they are dense in memory. Each block is
  // brought once.
  void gather(std::span<const std::int64_t> indices, std::int64_t count, std::byte* to);
  void scatter(std::span<const std::int64_t> indices, std::int64_t count, const std::byte* from);

  void writeback();
  void flush();
  void invalidate(bool discard);
  [[nodiscard]] std::int64_t dirty_elements() const;
  // With BufferedOptions::debug, what was read and written since this was called last, for the others; else empty.
  [[nodiscard]] std::vector<std::int64_t> take_notes();
  // usage_error where the notes of all members, in their order, show what the protocol forbids (BA-9).
  void check_notes(const std::vector<std::vector<std::int64_t>>& of_all) const;
  // Throws what the write-back threw; again: does nothing.
  void close();

 private:
  class Impl;
  class Share;
  [[nodiscard]] Impl& impl() const;  // usage_error once it is closed
  template <class Work>
  auto in_turn(Work&& work) const;
  std::unique_ptr<Impl> impl_;
  std::shared_ptr<BlockEntry> entries_;  // also once it is closed: then all of them lead here
};

// As long as it is held nobody else has it, or makes an array at this path: of one whose chunks are written whole, two writers would lose what the other wrote.
// Refused where another has it. A lock file beside the array, which ends with its process.
std::shared_ptr<void> sole_writer(const std::string& path);

// usage_error for an array of other than `dims` axes, for an index or a box outside of it.
void check_dims(const Shape& shape, int dims);
void check_index(const Shape& index, const Shape& shape);
void check_box(const Box& box, const Shape& shape);
// The box of the block that an element lies in.
Box block_around(const Shape& index, const Shape& shape, const Shape& block);

}  // namespace octavo::detail
