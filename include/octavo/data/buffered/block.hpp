// SPDX-License-Identifier: Apache-2.0
// A block of a buffered array in memory: it stays where it is while this lives, so its elements are ordinary ones, in spans and by reference.
//
//   const octavo::Block<float, 2> block = u.block({17, 100});                    // which has this element
//   for (std::span<float> row : block.rows()) for (float& x : row) x *= 2;
//   block(17, 100) = 1;                                                          // by indices of the array; block.box() says which it has
//   const octavo::Block<const float, 2> seen = std::as_const(u).block({0, 0});   // only read
//
// Contract: BA-5. All of a block that is not const counts as written. Threading: as the array. Failure: where it is made; one that outlives its array, or is
// used outside its box, is a mistake that nobody finds.
#pragma once

#include <span>
#include <utility>

#include "octavo/data/buffered/detail/buffers.hpp"
#include "octavo/data/detail/rows.hpp"

namespace octavo {

template <class T, int N>
class Block {
 public:
  Block(detail::Buffers& buffers, const detail::PinnedPart& pinned) : buffers_(&buffers), pinned_(pinned), strides_(dense_strides(buffers.block())) {}
  Block(Block&& other) noexcept : buffers_(std::exchange(other.buffers_, nullptr)), pinned_(other.pinned_), strides_(other.strides_) {}
  Block& operator=(Block&&) = delete;
  ~Block() {
    if (buffers_ != nullptr) buffers_->unpin(pinned_);
  }

  // In the array.
  [[nodiscard]] const Box& box() const noexcept { return pinned_.part; }
  // By indices of the array.
  template <std::convertible_to<std::int64_t>... Index>
    requires(sizeof...(Index) == N)
  [[nodiscard]] T& operator()(Index... index) const noexcept {
    int axis = 0;
    std::int64_t place = 0;
    ((place += (static_cast<std::int64_t>(index) - pinned_.part.lo[axis]) * strides_[axis], ++axis), ...);
    return first()[place];
  }
  // Along the last axis, in C order; the row of an index, whose last number is not looked at.
  [[nodiscard]] auto rows() const { return detail::Rows<T>(nullptr, first(), pinned_.part.extents(), strides_); }
  [[nodiscard]] std::span<T> row(Shape index) const {
    std::int64_t place = 0;
    for (int i = 0; i + 1 < N; ++i) place += (index[i] - pinned_.part.lo[i]) * strides_[i];
    return {first() + place, length()};
  }

 private:
  [[nodiscard]] T* first() const noexcept { return reinterpret_cast<T*>(pinned_.data); }
  [[nodiscard]] std::size_t length() const noexcept { return static_cast<std::size_t>(pinned_.part.hi[N - 1] - pinned_.part.lo[N - 1]); }
  detail::Buffers* buffers_;
  detail::PinnedPart pinned_;
  Shape strides_;
};

}  // namespace octavo
