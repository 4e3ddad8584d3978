// SPDX-License-Identifier: Apache-2.0
// An array on disk used with [] as if it were in memory (POCCS): a bounded number of buffers hold blocks of it.
//
//   ov::BufferedArray<float, 2> w("w.raw", {n, n}, {.mode = "w", .buffers = 8, .elements = 1 << 20});   // the paper's; or {.memory = 1 * ov::GiB}
//   const ov::BufferedArray<float, 2> u("u.npy");                                                       // what is there, to be read
//   for (std::int64_t i = 1; i < n - 1; ++i)
//     for (std::int64_t j = 1; j < n - 1; ++j) w[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
//   w.writeback();  me.barrier();  w.invalidate();                                                      // or w.sync(me): the three in the right order
//   w.for_each_block([](ov::Block<float, 2> b) { for (std::span<float> row : b.rows()) std::ranges::sort(row); });
//
// It lies in a raw file, .npy, uncompressed Zarr, .octavo, an ov::Array or one that has a name ("ov://..."); what other libraries decode is opened in Python.
// BA-1 An element that is read is what this array wrote there last; if it wrote nothing, what lies on the disk, or lay there when its block was brought.
// BA-2 What is written goes to the disk when its block makes room, at writeback(), and at the end: those elements, and no other byte, so that several may
//      write to one block (a compressed chunk: if the devices of one array own it). writeback() returns when it is where all others read it, flush() when it
//      is on the disk.
// BA-3 invalidate() lets go of all blocks, so that what others wrote back is seen. Where something was written and not written back it is a usage_error
//      that says how many elements, and nothing changes; with discard::yes that is lost. sync(me) is writeback(), me.barrier(), invalidate(), me.barrier().
// BA-4 Buffers, their bits, what reads ahead and the disk's staging take no more than `memory`. The table of blocks comes on top, 32 bytes a block.
// BA-5 A Block stays in memory while it lives, and only such a one gives a T&. Where all buffers hold such blocks, the next one is a usage_error.
// BA-6 What cannot be written back stays in its buffer, and the error names file and box; the next writeback() writes it. Nothing is given up but at the
//      end: the destructor says on standard error what was lost; close() throws.
// BA-7 A scan again and again over more than the buffers hold finds a part of it there.
// BA-8 Several threads may be in blocks at once, and each has [] by a share of its own; as long as there is a share, [] of the array itself is a usage_error.
//      What they write is disjoint, and the array's once the block, or the share, is gone.
// BA-9 With `debug`, sync(me) is a usage_error, in all members alike, where two wrote one element, or one read what another wrote, since the last sync(): it
//      names the element and the members.
// BA-10 In Python whatever takes an array on disk finds in a buffered one what was written there before the call: it is written back first.
//
// Threading: one thread at a time, but for BA-8. After fork(2) a child may not use it (usage_error), and its destructor there does nothing. Failure: io_error,
// usage_error, refused and not_supported, by [] too. [] does not check its index; at() does.
#pragma once

#include <utility>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/data/buffered/block.hpp"
#include "octavo/data/buffered/element.hpp"
#include "octavo/data/buffered/iterator.hpp"
#include "octavo/data/buffered/share.hpp"

namespace octavo {

enum class discard : bool { no, yes };

template <class T, int N>
class BufferedArray {
  static_assert(N >= 1 && N <= max_dims, "an array has 1 to 8 dimensions");

 public:
  // What is there; of a raw file, which does not say it, with its shape. Mode "w": made of zeros.
  explicit BufferedArray(const std::string& path, const BufferedOptions& options = {}) : BufferedArray(path, Shape(), options) {}
  BufferedArray(const std::string& path, const Shape& shape, const BufferedOptions& options = {})
      : BufferedArray(detail::Buffers::open(path, shape, dtype_of<T>(), options)) {}
  explicit BufferedArray(const Array& array, const BufferedOptions& options = {}) : BufferedArray(detail::Buffers::over(array, dtype_of<T>(), options)) {}
  // What it was moved from is none any more: a usage_error at any use.
  BufferedArray(BufferedArray&& other) noexcept : buffers_(std::move(other.buffers_)), table_(std::exchange(other.table_, {})) {}
  BufferedArray& operator=(BufferedArray&& other) noexcept {
    buffers_ = std::move(other.buffers_);
    table_ = std::exchange(other.table_, {});
    return *this;
  }
  ~BufferedArray() = default;
  // In a file without a name, which ends with it.
  static BufferedArray scratch(const Shape& shape, const BufferedOptions& options = {}) {
    return BufferedArray(detail::Buffers::scratch(shape, dtype_of<T>(), options));
  }

  auto operator[](std::int64_t index) { return Indexed<T, N>::next(table_, {}, index); }
  auto operator[](std::int64_t index) const { return Indexed<const T, N>::next(table_, {}, index); }
  template <std::convertible_to<std::int64_t>... Index>
    requires(sizeof...(Index) == N)
  auto at(Index... index) { return ElementReference<T>(table_, checked({static_cast<std::int64_t>(index)...})); }
  template <std::convertible_to<std::int64_t>... Index>
    requires(sizeof...(Index) == N)
  T at(Index... index)
  const { return table_.template read<T>(checked({static_cast<std::int64_t>(index)...})); }

  // All elements, in C order.
  auto begin() { return ElementIterator<T, N>(table_, shape(), 0); }
  auto end() { return ElementIterator<T, N>(table_, shape(), shape().count()); }
  auto begin() const { return ElementIterator<const T, N>(table_, shape(), 0); }
  auto end() const { return ElementIterator<const T, N>(table_, shape(), shape().count()); }

  // The block that has this element. What is not const counts as written, all of it.
  Block<T, N> block(const Shape& index) { return pinned<T>(whole_block(index), detail::block_access::change); }
  Block<const T, N> block(const Shape& index) const { return pinned<const T>(whole_block(index), detail::block_access::read); }
  // Each block, or what lies of it in `box`, in C order.
  template <std::invocable<Block<T, N>> F>
  void for_each_block(F&& visit) {
    for_each_block(Box::whole(shape()), visit);
  }
  template <std::invocable<Block<T, N>> F>
  void for_each_block(const Box& box, F&& visit) {
    each<T>(box, detail::block_access::change, visit);
  }
  template <std::invocable<Block<const T, N>> F>
  void for_each_block(F&& visit) const {
    for_each_block(Box::whole(shape()), visit);
  }
  template <std::invocable<Block<const T, N>> F>
  void for_each_block(const Box& box, F&& visit) const {
    each<const T>(box, detail::block_access::read, visit);
  }
  // The same for what is written whole: it is not read before, and has no values until they are given.
  template <std::invocable<Block<T, N>> F>
  void overwrite_blocks(const Box& box, F&& visit) {
    each<T>(box, detail::block_access::overwrite, visit);
  }

  // This thread's; `threads` of the options says how many there are at most.
  BufferedShare<T, N> share() { return BufferedShare<T, N>(buffers().share()); }
  BufferedShare<const T, N> share() const { return BufferedShare<const T, N>(buffers().share()); }

  void writeback() { buffers().writeback(); }
  void flush() { buffers().flush(); }
  void invalidate(discard dirty = discard::no) { buffers().invalidate(dirty == discard::yes); }
  // With all that have the array: a member of a group, or whatever has a barrier(). The second one, so that nobody writes before all have let go.
  template <class Together>
  void sync(Together&& me) {
    writeback();
    check(me);
    me.barrier();
    invalidate();
    me.barrier();
  }
  // writeback(), and the end; again: does nothing.
  void close() { buffers().close(); }

  [[nodiscard]] const Shape& shape() const { return buffers().shape(); }
  [[nodiscard]] const Shape& block_shape() const { return buffers().block(); }
  [[nodiscard]] std::int64_t dirty_elements() const { return buffers().dirty_elements(); }
  [[nodiscard]] BufferedCounters counters() const { return buffers().counters(); }

 private:
  template <class Together>
  void check(Together& me) {
    if constexpr (requires { me.all_gather(std::vector<std::int64_t>()); }) {
      if (auto notes = buffers().take_notes(); !notes.empty()) buffers().check_notes(me.all_gather(std::move(notes)));
    } else if (!buffers().take_notes().empty()) {
      throw usage_error("sync() of an array that was opened with debug, with somebody who has no all_gather()", "Give it a member of a group");
    }
  }
  explicit BufferedArray(std::unique_ptr<detail::Buffers> buffers) : buffers_(std::move(buffers)) {
    detail::check_dims(shape(), N);
    const detail::BlockTable found = buffers_->table();
    table_ = found;  // a copy, of which nobody else has the address (BlockTable::bring_to_read)
  }
  [[nodiscard]] detail::Buffers& buffers() const {
    if (!buffers_) detail::refuse_moved_from();
    return *buffers_;
  }
  [[nodiscard]] detail::Position checked(const Shape& index) const {
    detail::check_index(index, shape());
    detail::Position at;
    for (int i = 0; i < N; ++i) at = table_.along(i, index[i], at);
    return at;
  }
  [[nodiscard]] Box whole_block(const Shape& index) const {
    detail::check_index(index, shape());
    return detail::block_around(index, shape(), block_shape());
  }
  template <class Element>
  Block<Element, N> pinned(const Box& part, detail::block_access access) const {
    Shape index = part.lo;
    for (int i = 0; i < N; ++i) index[i] /= block_shape()[i];
    return {buffers(), buffers().pin(flatten(index, grid_of(shape(), block_shape())), part, access)};
  }
  template <class Element, class F>
  void each(const Box& box, detail::block_access access, F&& visit) const {
    detail::check_box(box, shape());
    for_each_tile(box, block_shape(), [&](const Shape&, const Box& part) { visit(pinned<Element>(part, access)); });
  }

  std::unique_ptr<detail::Buffers> buffers_;
  detail::BlockTable table_;
};

}  // namespace octavo
